/** Global set-up of the tests in workerd, which can't listen themselves: starts mail servers for them. */
import type { TestProject } from 'vitest/node';
import { mailCertificate } from '../mail-certificate.ts';
import { startMailServers } from './mail-servers.ts';

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { close, ...servers } = await startMailServers(await mailCertificate());
  project.provide('mail', servers);
  return close;
}
