import { gitHostOf } from '../../../protocol/credentials.ts';

/** The credential for the host of a repository, from all stored ones; the project's own takes precedence. */
export function credentialFor<Credential extends { host: string; projectId: string | null }>(
  sealed: readonly Credential[],
  repositoryUrl: string,
): Credential | undefined {
  const wanted = gitHostOf(repositoryUrl);
  const fitting = sealed.filter(({ host }) => host === wanted);
  return fitting.find(({ projectId }) => projectId !== null) ?? fitting[0];
}
