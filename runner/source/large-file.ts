/** What a pointer file says. */
export interface LargeFile {
  /** SHA-256 in hex. */
  oid: string;
  bytes: number;
  /** Where it is wanted, relative to the tree. */
  paths: string[];
}
