import { ApiError } from '../../domain/errors.ts';
import { changeHostPort as changeRow, keepHostPort } from '../../store/services/host-port-store.ts';
import { type ServiceRow, selectActiveJob } from '../../store/services/service-store.ts';
import { type ServiceView, selectServiceView } from '../../store/services/service-view-store.ts';
import type { Dependencies } from '../dependencies.ts';

export interface ChangedHostPort {
  view: ServiceView;
  port: number;
  /** Whether the port changes with the next successful deployment, because a version serves at the present one. */
  pending: boolean;
}

/**
 * Gives a service another port of its host's block.
 * @param wanted undefined for the lowest free port
 * @throws ApiError `invalid_request` for a port outside the block; `conflict` if it is in use, during a deployment, or before a move
 */
export async function changeHostPort(
  { db, now }: Pick<Dependencies, 'db' | 'now'>,
  service: ServiceRow,
  wanted: number | undefined,
): Promise<ChangedHostPort> {
  const before = await readView(db, service.id);
  const { webPorts, databasePorts, busyPorts } = before.facts;
  const isDatabase = service.kind === 'database';
  const ports = isDatabase ? databasePorts : webPorts;
  if (wanted !== undefined && (wanted < ports.first || wanted > ports.last)) {
    throw new ApiError(
      'invalid_request',
      `The field "port" must be from ${ports.first} to ${ports.last}, the ports of this host for ${isDatabase ? 'databases' : 'apps'}.`,
    );
  }
  const change = { wanted, ports, busy: isDatabase ? busyPorts : [], at: now() };
  const statements =
    wanted === before.service.hostPort
      ? ([keepHostPort(db, service.id, change.at)] as const)
      : changeRow(db, service, change);
  const [busy] = await db.batch([selectActiveJob(db, service.id), ...statements]);
  const view = await readView(db, service.id);
  const port = view.service.nextHostPort ?? view.service.hostPort;
  const hasPort = wanted === undefined ? port !== portOf(before) : port === wanted;
  if (!hasPort || isMoving(view.service)) throw refusal(view.service, busy.length > 0, wanted);
  return { view, port, pending: view.service.nextHostPort !== null };
}

const portOf = ({ service }: ServiceView) => service.nextHostPort ?? service.hostPort;
const isMoving = ({ runnerId, nextRunnerId }: ServiceRow) =>
  nextRunnerId !== null && nextRunnerId !== runnerId;

async function readView(db: Dependencies['db'], serviceId: string): Promise<ServiceView> {
  const [[view]] = await db.batch([selectServiceView(db, serviceId)]);
  if (view) return view;
  throw new ApiError('not_found', 'This service was deleted in the meantime.');
}

function refusal(service: ServiceRow, isBusy: boolean, wanted: number | undefined): ApiError {
  if (isMoving(service)) {
    return new ApiError(
      'conflict',
      'The service is going to move to another host with its next deployment, where it has a port reserved: deploy it first.',
    );
  }
  if (isBusy) {
    return new ApiError(
      'conflict',
      'A job of the service is in progress: wait until it ends or abort it, then change the port.',
    );
  }
  return new ApiError(
    'conflict',
    wanted === undefined
      ? 'The host has no other free port for this service.'
      : `Port ${wanted} is taken on this host: leave "port" out to get a free one, or choose another.`,
  );
}
