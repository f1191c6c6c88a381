/** Whether the file system or a quota had no room for what was written. */
export function isNoSpace(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOSPC' || code === 'EDQUOT';
}
