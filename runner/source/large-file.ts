/** The content of a pointer file. */
export interface LargeFile {
  /** SHA-256 in hex. */
  oid: string;
  bytes: number;
  /** Where the file belongs, relative to the tree. */
  paths: string[];
}
