export function compileModules(): void;
