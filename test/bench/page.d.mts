export declare function benchPage(result: object): Map<string, string>;
