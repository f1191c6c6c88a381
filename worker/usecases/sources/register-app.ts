/**
 * Registers a GitHub App from a manifest: a page whose only button posts the manifest to GitHub, which asks the user and returns a code.
 * https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
 */
import { ApiError } from '../../domain/errors.ts';
import { allowsPrivateFor, checkedWebhookUrl } from '../../domain/names/webhook-url.ts';
import { gitCredentialsPerTenant } from '../../domain/sources/git-credentials.ts';
import { conversionSchema, gitHubApiOf, registrationLimitMs } from '../../domain/sources/github-app.ts';
import { sha256Hex } from '../../security/api-token.ts';
import { toBase64Url } from '../../security/base64url.ts';
import { gitCredentialPlace, gitHubSecretsPlace } from '../../security/secret-places.ts';
import { selectKeyHolder } from '../../store/access/session-store.ts';
import {
  findRegistration,
  finishGitHubApp,
  type GitHubAppRow,
  insertGitHubApp,
} from '../../store/sources/github-app-store.ts';
import { violates } from '../../store/sql/store-failure.ts';
import type { Dependencies } from '../dependencies.ts';
import { readSettings } from '../instance/change-settings.ts';
import { sealInstanceSecret } from '../seal-instance-secret.ts';
import { askGitHub, understood } from './installation-token.ts';

const stateBytes = 32;

/**
 * @returns the app, and the state that its setup page needs: 256 random bits, of which only the hash is stored
 * @throws ApiError `conflict` if the tenant already has an app or a credential for the host; `invalid_request` for a private address
 */
export async function beginRegistration(
  deps: Pick<Dependencies, 'db' | 'newId' | 'now' | 'fillRandom'>,
  tenantId: string,
  wanted: Pick<GitHubAppRow, 'host' | 'organization' | 'requestedBy' | 'deployOnPush' | 'commitStatus'>,
): Promise<{ row: GitHubAppRow; state: string }> {
  const { db, newId, now, fillRandom } = deps;
  checkedWebhookUrl(`https://${wanted.host}/`, 'host', allowsPrivateFor(tenantId, await readSettings(deps)));
  const bytes = new Uint8Array(stateBytes);
  fillRandom(bytes);
  const state = toBase64Url(bytes);
  const at = now();
  const row = {
    ...{ id: newId('gitHubApp'), tenantId, ...wanted },
    ...{ stateHash: await sha256Hex(state), stateExpiresAt: at + registrationLimitMs },
    ...{ appId: null, slug: null, name: null, owner: null, htmlUrl: null, sealedSecrets: null },
    ...{ verifiedAt: null, createdAt: at, updatedAt: at },
  };
  if (await insertGitHubApp(db, row)) return { row, state };
  throw new ApiError(
    'conflict',
    `There is a GitHub App or a git credential of all projects for ${wanted.host}: delete it first (/api/github-apps, /api/git-credentials).`,
  );
}

/** The open registration for a state parameter, and its caller. @throws ApiError `not_found`, also if the key that began it was revoked */
export async function openRegistration(
  { db, now }: Pick<Dependencies, 'db' | 'now'>,
  state: string,
): Promise<{ row: GitHubAppRow; asker: { name: string; tenant: string } }> {
  const row = await findRegistration(db, await sha256Hex(state), now());
  const [asker] = row ? await selectKeyHolder(db, row.requestedBy ?? '', now()) : [];
  if (row && asker) return { row, asker };
  throw new ApiError(
    'not_found',
    'This registration does not exist, was finished, is more than an hour old, or was begun with a key or session that has ended: begin again, on the page for credentials or with POST /api/github-apps.',
  );
}

/** The mark in a cookie of a browser that has seen the first page, which the browser presents at the end. */
export const registrationMark = ({ fingerprint }: Pick<Dependencies, 'fingerprint'>, id: string) =>
  fingerprint('github-setup', id);

/**
 * Exchanges GitHub's code for the app's id and secrets, and stores them with the credential that uses them. An attacker's page can send a
 * browser to GitHub with the state of the attacker's own registration. So only a browser with the registration's mark can finish it.
 * @param mark mark of the browser (`registrationMark`); undefined without one
 * @throws ApiError `not_found` as `openRegistration`; `forbidden` without the mark; `conflict`; `unavailable`; `provider_refused` for a code
 *   that GitHub does not accept
 */
export async function finishRegistration(
  deps: Pick<Dependencies, 'db' | 'envelope' | 'gitHub' | 'isFingerprint' | 'newId' | 'now'>,
  { state, code }: { state: string; code: string },
  mark: string | undefined,
): Promise<{ row: GitHubAppRow; facts: { name: string; htmlUrl: string; owner: string } }> {
  const { row } = await openRegistration(deps, state);
  if (!(await deps.isFingerprint('github-setup', row.id, mark ?? '')))
    throw new ApiError(
      'forbidden',
      'The registration was not started in this browser, so nothing is connected: open the setup page here first. If you did not ask for it, delete the app at GitHub.',
    );
  const url = `${gitHubApiOf(row.host)}/app-manifests/${encodeURIComponent(code)}/conversions`;
  const answer = await askGitHub(deps, row, { method: 'POST', url });
  const { facts, secrets } = understood({ host: row.host, name: '' }, answer, conversionSchema);
  const at = deps.now();
  const credentialId = deps.newId('gitCredential');
  const sealedSecrets = await sealInstanceSecret(deps, gitHubSecretsPlace(row.id), secrets);
  const credential = {
    ...{
      id: credentialId,
      tenantId: row.tenantId,
      projectId: null,
      host: row.host,
      username: 'x-access-token',
    },
    // The column must have a value: a control plane of the previous version uses it as a token, which git refuses.
    sealedToken: await deps.envelope.sealForInstance(
      gitCredentialPlace(credentialId),
      'made-by-a-github-app',
    ),
    ...{ gitHubAppId: row.id, commitStatus: row.commitStatus ? ('github' as const) : null },
    ...{ commitStatusFailure: null, createdAt: at, updatedAt: at },
  };
  const registered = { ...facts, sealedSecrets, updatedAt: at };
  const isFinished = await finishGitHubApp(deps.db, row, registered, credential).catch((error: unknown) => {
    // UNIQUE: the host has a credential now. FOREIGN KEY: the registration was replaced while GitHub answered.
    if (violates(error, 'UNIQUE') || violates(error, 'FOREIGN KEY')) return false;
    throw error;
  });
  if (isFinished) return { row, facts };
  throw new ApiError(
    'conflict',
    `The app ${facts.name} exists at ${row.host} now, but is not connected: the registration was replaced, a git credential for ${row.host} was stored in the meantime, or the tenant has ${gitCredentialsPerTenant} git credentials. Delete the app there (${facts.htmlUrl}), and begin again.`,
  );
}
