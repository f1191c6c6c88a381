/** The kind of a service and its source. */
import type { Service } from '../api/queries.ts';
import { serviceText } from '../text/service-text.ts';

export const isDatabase = ({ repoUrl }: Service): boolean => repoUrl === 'database';

/** Whether deployments build an image, in contrast to starting an existing one. */
export const hasBuilds = (service: Service): boolean => !isDatabase(service) && service.imageRef === null;

/** Whether it is built from a git repository: the other sources are words, not addresses. */
export const hasRepository = ({ repoUrl }: Service): boolean =>
  !['database', 'container-image', 'upload'].includes(repoUrl);

export function kindText(service: Service): string {
  if (isDatabase(service)) return engineNames[service.framework ?? ''] ?? serviceText.kinds.database;
  return serviceText.kinds[service.runtimeMode];
}

const engineNames: Record<string, string> = {
  postgres: 'PostgreSQL',
  timescale: 'TimescaleDB',
  mysql: 'MySQL',
  redis: 'Redis',
  mongodb: 'MongoDB',
  clickhouse: 'ClickHouse',
};

/** The repository, image or folder, in a short form. */
export function sourceText(service: Service): string {
  if (isDatabase(service)) return service.databaseImage ?? service.imageRef ?? '';
  if (service.imageRef) return service.imageRef;
  if (service.repoFullName) return service.repoFullName;
  return service.repoUrl.replace(/^https?:\/\//, '').replace(/\.git$/, '');
}
