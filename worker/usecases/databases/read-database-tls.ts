/** TLS of PostgreSQL-compatible databases. The host reports whether they offer it, and has the CA certificate for clients. */
import { type DatabaseTlsAnswer, databaseTlsAnswerSchema } from '../../../protocol/host-request.ts';
import { safeParseUntrusted } from '../../../protocol/untrusted/safe-parse.ts';
import { engineOf, offersTls } from '../../domain/databases/database-engines.ts';
import { ApiError } from '../../domain/errors.ts';
import { publicIpOf, settingsOf } from '../../domain/instance/settings.ts';
import { type SettingRow, selectSettings } from '../../store/instance/settings-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import { type ServiceView, selectServiceView } from '../../store/services/service-view-store.ts';
import type { Database } from '../../store/sql/database.ts';
import type { Statements } from '../../store/sql/read-together.ts';
import { scopedServiceId } from '../../store/sql/scoped-store.ts';
import type { Dependencies } from '../dependencies.ts';

export interface DatabaseTlsInfo {
  /** Whether clients can connect over TLS now. */
  active: boolean;
  caCertAvailable: boolean;
  /** Public host name of the database; empty if it is not public. */
  publicHostname: string;
  publicPort: number;
}

/** Rows of `databaseTlsStatements`. */
export interface DatabaseTlsRows {
  views: ServiceView[];
  settings: SettingRow[];
}

/** Time for the host to inspect one container and do one TLS handshake. */
const answerTimeoutMs = 15_000;

/** Statements for the public address, for the batch that reads the key. */
export function databaseTlsStatements(
  db: Database,
  tokenId: string,
  serviceId: string,
): Statements<DatabaseTlsRows> {
  return {
    views: selectServiceView(db, scopedServiceId(db, tokenId, serviceId)),
    settings: selectSettings(db),
  };
}

/** @throws ApiError `unsupported`, `runner_offline`, `timeout`, `unavailable` */
export async function readDatabaseTls(
  deps: Pick<Dependencies, 'hubs'>,
  service: ServiceRow,
  rows: DatabaseTlsRows,
): Promise<DatabaseTlsInfo> {
  const { active, authority } = await askHost(deps, service);
  const [view] = rows.views;
  if (!view) throw new ApiError('not_found', 'This service was deleted in the meantime.');
  const publicIp = publicIpOf(settingsOf(rows.settings), view.facts.publicIp);
  return {
    active,
    caCertAvailable: authority !== null,
    publicHostname: service.databasePublicEnabled ? (service.databasePublicHostname ?? publicIp) : '',
    publicPort: service.hostPort,
  };
}

/**
 * The CA certificate, PEM.
 * @throws ApiError `conflict` if the database has no certificate; and as `readDatabaseTls`
 */
export async function readDatabaseAuthority(
  deps: Pick<Dependencies, 'hubs'>,
  service: ServiceRow,
): Promise<string> {
  const { authority } = await askHost(deps, service);
  if (authority !== null) return authority;
  throw new ApiError(
    'conflict',
    `The database "${service.name}" has no certificate yet: deploy it with POST /api/services/${service.id}/deployments to create one. If that fails, the deployment's log says why.`,
  );
}

async function askHost(
  { hubs }: Pick<Dependencies, 'hubs'>,
  service: ServiceRow,
): Promise<DatabaseTlsAnswer> {
  assertOffersTls(service);
  // Before the first successful deployment nothing is running, so no request to the host is needed.
  if (service.lastDeployedAt === null) return { active: false, authority: null };
  const request = { op: 'database-tls', serviceId: service.id } as const;
  const answer = await hubs.request(service.runnerId, request, answerTimeoutMs).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.code === 'runner_offline')) throw error;
    throw new ApiError(
      'runner_offline',
      'The host of this database is not connected, and only the host knows the TLS state: start its runner, or try again when it is connected.',
      { cause: error },
    );
  });
  if (!answer.ok) {
    throw new ApiError('unavailable', `The host could not check the database: ${answer.message}`);
  }
  const parsed = safeParseUntrusted(databaseTlsAnswerSchema, answer.value);
  if (parsed.success) return parsed.data;
  throw new ApiError(
    'unavailable',
    'The answer of the host was not understood because its runner has a different version: update the runner.',
  );
}

/** @throws ApiError `unsupported` */
function assertOffersTls(service: ServiceRow): void {
  const engine = service.kind === 'database' ? engineOf(service) : null;
  if (engine !== null && offersTls(engine)) return;
  const what = engine === null ? 'not a database' : `a ${engine} database`;
  throw new ApiError(
    'unsupported',
    `The service "${service.name}" is ${what}: only postgres and timescale databases offer TLS.`,
  );
}
