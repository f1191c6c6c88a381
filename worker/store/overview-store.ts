/** Rows of a service's overview, within the scope of an API key. Ten statements: drizzle would take longer to build them than SQLite to run them. */
import type { SQL } from 'drizzle-orm';
import type { RunnableQuery } from 'drizzle-orm/runnable-query';
import { selectLiveVersion } from './comparison-store.ts';
import type { Database } from './database.ts';
import { selectNewestDeployments } from './deployment-store.ts';
import { selectDomains } from './domain-store.ts';
import { keptStatement, type Later } from './kept-statement.ts';
import { selectNameOwner, tenantOfService } from './name-verification-store.ts';
import { selectProjectServices } from './project-service-store.ts';
import { scopedProjectIdOf, scopedServiceId } from './scoped-store.ts';
import { selectServiceFiles } from './service-file-store.ts';
import { selectServiceView } from './service-view-store.ts';
import { selectSettings } from './settings-store.ts';
import { selectProjectVariables } from './variable-store.ts';
import { selectVolumes } from './volume-store.ts';

/** Newest deployments in the overview; another route lists all. A keyset reads one row more than its limit. */
const deploymentsMax = 100;

/** A statement about the service that a key's token and an id name. */
const ofService = <Rows>(select: (db: Database, serviceId: SQL) => RunnableQuery<Rows, 'sqlite'>) =>
  keptStatement((db, tokenId: Later, serviceId: Later) =>
    select(db, scopedServiceId(db, tokenId, serviceId)),
  );

/** The same about its project. */
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
