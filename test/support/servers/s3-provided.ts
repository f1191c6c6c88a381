/** Where the S3 server of the tests is, for `inject('s3')`. */
export interface S3Address {
  endpoint: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Of what it did since it began, as `PUT 403 /bucket/key?query`: newest last. */
  logUrl: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    s3: S3Address;
  }
}
