/** The address of the tests' S3 server, for `inject('s3')`. */
export interface S3Address {
  endpoint: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** URL of its log, with lines like `PUT 403 /bucket/key?query`, newest last. */
  logUrl: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    s3: S3Address;
  }
}
