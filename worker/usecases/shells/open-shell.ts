/** Opens interactive sessions in the live containers of services. */
import {
  type OpenShellAnswer,
  openShellAnswerSchema,
  type TerminalSize,
} from '../../../protocol/shells/shell.ts';
import { ApiError } from '../../domain/errors.ts';
import { isStaticSite } from '../../domain/services/service-kind.ts';
import type { ShellSession } from '../../gateways/object-calls.ts';
import type { RunnerRow } from '../../store/hosts/runner-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { endShellContainer, startShellContainer } from './new-container.ts';

/** The host waits for a new container, and dials, for 10 s each at most. */
const openTimeoutMs = 30_000;

export interface ShellAsked {
  container: 'live' | 'new';
  command: string[] | null;
  terminal: (TerminalSize & { type: string }) | null;
}

export type ShellOpener = Pick<ShellSession, 'tenantId' | 'keyId' | 'tokenId' | 'requestId' | 'address'> & {
  /** The key whose limits are used up. */
  countedAs: string;
};

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'logs' | 'shells' | 'newId' | 'now' | 'fingerprint'>;

/** The credential that one side of a shell shows, once. It is not stored, because it can be derived again. */
export const shellTokenText = (shellId: string, side: 'host' | 'client') => `${side} ${shellId}`;

/**
 * Asks the host to open a session, which waits for its client for half a minute.
 * @returns its id, and the ticket with which the client connects
 * @throws ApiError `unsupported`, `conflict` if nothing runs or the runner is too old, `quota_exceeded`, `runner_offline`, `timeout`
 */
export async function openShell(
  deps: Needs,
  { service, host }: { service: ServiceRow; host: Pick<RunnerRow, 'name' | 'facts'> | undefined },
  { container, command, terminal }: ShellAsked,
  { countedAs, ...opener }: ShellOpener,
): Promise<{ id: string; container: string; ticket: string }> {
  if (container === 'live') assertRuns(service);
  if (!host?.facts.opensShells)
    throw new ApiError(
      'conflict',
      `The runner of the host "${host?.name ?? ''}" is too old for shells: update it (docs/operate/upgrades.md).`,
    );
  const id = deps.newId('shell');
  const { id: serviceId, runnerId } = service;
  const { tenantId } = opener;
  const runId = container === 'new' ? await startShellContainer(deps, service) : null;
  try {
    await deps.shells.begin({ ...opener, shellId: id, serviceId, runnerId, runId, createdAt: deps.now() });
    const answer = await ask(deps, runnerId, {
      op: 'open-shell',
      shellId: id,
      token: await deps.fingerprint('shell', shellTokenText(id, 'host')),
      keyId: countedAs,
      ...{ serviceId, runId, tenantId, command, terminal },
    });
    if (!answer.opened) throw new ApiError(answer.code, answer.message);
    const ticket = await deps.fingerprint('shell', shellTokenText(id, 'client'));
    return { id, container: answer.container, ticket };
  } catch (error) {
    await deps.shells.discard(id);
    if (runId !== null) await endShellContainer(deps, runId);
    throw error;
  }
}

type Request = Extract<Parameters<Dependencies['hubs']['request']>[1], { op: 'open-shell' }>;

async function ask({ hubs }: Needs, runnerId: string, request: Request): Promise<OpenShellAnswer> {
  const answer = await hubs.request(runnerId, request, openTimeoutMs);
  if (!answer.ok) throw new ApiError('unavailable', `The host could not open a shell: ${answer.message}`);
  const parsed = openShellAnswerSchema.safeParse(answer.value);
  if (parsed.success) return parsed.data;
  throw new ApiError('unavailable', 'The answer of the host was not understood: update its runner.');
}

/** @throws ApiError `unsupported`, `conflict` */
function assertRuns(service: ServiceRow): void {
  const { id, stopped, lastDeployedAt } = service;
  if (isStaticSite(service))
    throw new ApiError(
      'unsupported',
      'A static site runs no container, so there is nothing to open a shell in.',
    );
  if (stopped)
    throw new ApiError('conflict', `The service is stopped: start it with POST /api/services/${id}/start.`);
  if (lastDeployedAt === null)
    throw new ApiError(
      'conflict',
      `Nothing of the service runs: deploy it with POST /api/services/${id}/deployments.`,
    );
}
