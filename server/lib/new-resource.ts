/** Members of a resource at its creation. */
export const newResource = (id: string, nowAt: string) => ({ id, created_at: nowAt, updated_at: nowAt });
