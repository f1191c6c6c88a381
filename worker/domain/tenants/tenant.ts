/** The tenant of everything that no other tenant owns. It exists from the first migration on and can't be deleted. */
export const defaultTenantId = 'default';
