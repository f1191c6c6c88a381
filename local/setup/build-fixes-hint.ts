/** The warning of `setup` about a Docker whose builder lets tenants reach each other and the host. */
import { hasBuildFixes } from '../../runner/docker/build-fixes.ts';
import type { DockerEngine } from '../docker/engine.ts';
import { runCommand } from './command.ts';

const aptTimeoutMs = 10_000;

/**
 * Lines for the operator; none if Docker has the fixes.
 * @param candidateVersion finds the version that the distribution offers; `null` without a version or without apt
 */
export async function buildFixesHint(
  docker: Pick<DockerEngine, 'version'>,
  candidateVersion = candidateOfApt,
): Promise<string[]> {
  const { Version } = await docker.version();
  if (hasBuildFixes(Version)) return [];
  const candidate = await candidateVersion();
  const wayOut =
    candidate !== null && hasBuildFixes(upstreamOf(candidate))
      ? `Your distribution has ${candidate}: run "sudo apt-get install docker.io" (it restarts Docker and all containers).`
      : 'Your distribution has no fixed version. For several tenants install Docker 24.0.9, 25.0.2 or newer (docs/operate/hosts.md).';
  return [
    `Docker ${Version} lets a build read and delete files of the host (CVE-2024-23651 to 23653): this host can serve one tenant only.`,
    wayOut,
  ];
}

async function candidateOfApt(): Promise<string | null> {
  const text = await runCommand('apt-cache', ['policy', 'docker.io'], {
    timeoutMs: aptTimeoutMs,
    env: { ...process.env, LC_ALL: 'C' },
  }).catch(() => '');
  const version = /^ {2}Candidate: (\S+)$/m.exec(text)?.[1];
  return version === undefined || version === '(none)' ? null : version;
}

/**
 * `1:26.1.5+dfsg1-9` without epoch, repacking and Debian revision: https://www.debian.org/doc/debian-policy/ch-controlfields.html#version
 */
const upstreamOf = (version: string) => version.replace(/^\d+:/, '').replace(/[-+~].*$/, '');
