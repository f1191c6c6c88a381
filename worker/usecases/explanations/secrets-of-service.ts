/** Secrets that must not leave the platform when facts about a service are sent to a language model. */
import { allVariables } from '../../../protocol/variable-scope.ts';
import { AiFailure } from '../../gateways/ai/model-question.ts';
import { gitCredentialPlace, gitTokenPlace } from '../../security/secret-places.ts';
import type { selectSealedSnapshots } from '../../store/jobs/dispatch-store.ts';
import type { selectServiceFiles } from '../../store/services/service-file-store.ts';
import type { selectSealedLogins } from '../../store/sources/git-credential-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { openFiles } from '../services/mounted-files.ts';
import type { OpenedVariables, SecretsOwner } from '../services/resolve-variables.ts';
import { openSnapshot } from '../services/snapshot.ts';
import { openLogins } from '../sources/registries.ts';

type Rows<Query extends (...given: never[]) => PromiseLike<unknown[]>> = Awaited<ReturnType<Query>>;

/** Secrets in their stored form. */
export interface SealedSecrets {
  service: { id: string; sealedGitToken: string | null };
  project: SecretsOwner;
  /** The deployment whose log is sent; undefined for a log of the live version or of a command. */
  deploymentId: string | undefined;
  /** Snapshots of all stored versions, because present output may come from any of them. */
  snapshots: Rows<typeof selectSealedSnapshots>;
  files: Rows<typeof selectServiceFiles>;
  logins: Rows<typeof selectSealedLogins>;
}

/**
 * The secrets that a tool or the app may print: variables as stored, as resolved and in each stored version, secret files in the same
 * versions, the git token, and the logins at registries and git hosts.
 * @throws AiFailure if one can't be decrypted or is no longer stored, because an unknown secret can't be removed
 */
export async function secretsOf(
  deps: Pick<Dependencies, 'envelope'>,
  opened: Pick<OpenedVariables, 'written' | 'values' | 'unreadable'>,
  { service, project, deploymentId, snapshots, files, logins }: SealedSecrets,
): Promise<string[]> {
  const unknown = new AiFailure(
    "Stored secrets of the service can't be decrypted, so its log can't be sent safely.",
  );
  if (opened.unreadable.length > 0) throw unknown;
  if (deploymentId !== undefined && !snapshots.some(({ id }) => id === deploymentId))
    throw new AiFailure(
      "The secrets of this deployment are no longer stored, so its log can't be sent safely: newer deployments have replaced it.",
    );
  const { envelope } = deps;
  const { sealedGitToken } = service;
  const [{ registries, gitCredentials } = { registries: [], gitCredentials: [] }] = logins;
  // An app's tokens are created for each job, and are recognised by their form.
  const stored = gitCredentials.filter(({ app }) => app === null);
  try {
    const [versions, present, passwords, tokens, gitToken] = await Promise.all([
      Promise.all(
        snapshots.flatMap(({ id, sealedSnapshot }) =>
          sealedSnapshot === null ? [] : openSnapshot(deps, project, id, sealedSnapshot),
        ),
      ),
      openFiles(deps, project, files[0]),
      openLogins(deps, registries),
      Promise.all(
        stored.map(({ id, sealedToken }) => envelope.openForInstance(gitCredentialPlace(id), sealedToken)),
      ),
      sealedGitToken === null
        ? []
        : envelope.open(project.wrappedDataKey, project.id, gitTokenPlace(service.id), sealedGitToken),
    ]);
    const secretFiles = [present, ...versions.map((version) => version.files ?? [])]
      .flat()
      .filter(({ secret }) => secret);
    return [
      ...[...opened.written.values()].filter((value) => value !== null),
      ...opened.values.values(),
      ...versions.flatMap((version) => Object.values(allVariables(version))),
      ...secretFiles.flatMap(({ content }) => [content, ...valuesIn(content)]),
      ...passwords.map(({ password }) => password),
      ...tokens,
      ...[gitToken].flat(),
    ];
  } catch {
    throw unknown;
  }
}

/** The text after the first `=` or `:` of each line, without quotes, because an app prints the value of a setting and not the line. */
const valuesIn = (content: string): string[] =>
  content.split(/\r?\n/).flatMap((line) => /^[^=:]*[=:]\s*["']?(.+?)["']?[\s,;]*$/.exec(line)?.[1] ?? []);
