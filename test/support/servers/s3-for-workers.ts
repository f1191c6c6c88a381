/** Global set-up of the tests in workerd, which can't start a server: an S3 server for them. It loads nothing until its first request. */
import type { TestProject } from 'vitest/node';
import { startS3Server } from './s3-server.ts';

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startS3Server();
  project.provide('s3', server.address);
  return () => server.stop();
}
