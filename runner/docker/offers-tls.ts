/** Finds the containers that are databases with TLS. */
import { labels } from '../../protocol/names.ts';
import type { ContainerFacts } from './containers.ts';

/** True for a database that clients may reach over TLS. */
export const offersTls = ({
  hasDataVolume,
  labels: of,
}: Pick<ContainerFacts, 'hasDataVolume' | 'labels'>): boolean =>
  hasDataVolume && Boolean(of[labels.tlsNames]);
