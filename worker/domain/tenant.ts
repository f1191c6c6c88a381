/** Owns what nobody else owns; it is there from the first migration on and stays. */
export const defaultTenantId = 'default';
