/**
 * Rows of a service's overview, within the scope of an API key. Plain SQL, because drizzle needs longer to build ten statements than SQLite to run
 * them.
 */
import type { SQL } from 'drizzle-orm';
import type { RunnableQuery } from 'drizzle-orm/runnable-query';
import { selectDomains } from '../domains/domain-store.ts';
import { selectNameOwner, tenantOfService } from '../domains/name-verification-store.ts';
import { selectSettings } from '../instance/settings-store.ts';
import { selectProjectServices } from '../services/project-service-store.ts';
import { selectServiceFiles } from '../services/service-file-store.ts';
import { selectServiceView } from '../services/service-view-store.ts';
import { selectProjectVariables } from '../services/variable-store.ts';
import { selectVolumes } from '../services/volume-store.ts';
import type { Database } from '../sql/database.ts';
import { keptStatement, type Later } from '../sql/kept-statement.ts';
import { scopedProjectIdOf, scopedServiceId } from '../sql/scoped-store.ts';
import { selectLiveVersion } from './comparison-store.ts';
import { selectNewestDeployments } from './deployment-store.ts';

/** Newest deployments in the overview; another route lists all. A keyset reads one row more than its limit. */
const deploymentsMax = 100;

/** A statement about the service with this id within the scope of a key's token. */
const ofService = <Rows>(select: (db: Database, serviceId: SQL) => RunnableQuery<Rows, 'sqlite'>) =>
  keptStatement((db, tokenId: Later, serviceId: Later) =>
    select(db, scopedServiceId(db, tokenId, serviceId)),
  );

/** A statement about the project of that service. */
const ofProject = <Rows>(select: (db: Database, projectId: SQL) => RunnableQuery<Rows, 'sqlite'>) =>
  keptStatement((db, tokenId: Later, serviceId: Later) =>
    select(db, scopedProjectIdOf(db, tokenId, serviceId)),
  );

export const selectScopedView = ofService(selectServiceView);
export const selectScopedDomains = ofService(selectDomains);
export const selectScopedVolumes = ofService(selectVolumes);
export const selectScopedFiles = ofService(selectServiceFiles);
export const selectScopedLiveVersion = ofService(selectLiveVersion);
export const selectScopedNameOwner = ofService((db, serviceId) =>
  selectNameOwner(db, tenantOfService(serviceId)),
);
export const selectScopedNewestDeployments = ofService((db, serviceId) =>
  selectNewestDeployments(db, serviceId, { limit: deploymentsMax - 1 }),
);
export const selectServicesBeside = ofProject(selectProjectServices);
export const selectVariablesBeside = ofProject(selectProjectVariables);
export const selectKeptSettings = keptStatement((db) => selectSettings(db));
