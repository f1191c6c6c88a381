/** Suggested variables for a service: keys that it lacks, and references to the databases of its project. */
import type { SQL } from 'drizzle-orm';
import { engineOf } from '../../domain/databases/database-engines.ts';
import { type KeySuggestion, suggestedKeysFor } from '../../domain/databases/suggested-keys.ts';
import { settingsOf } from '../../domain/instance/settings.ts';
import { type DatabaseSuggestion, databaseSuggestions } from '../../domain/projects/database-suggestions.ts';
import { projectServicesOf } from '../../domain/projects/project-services.ts';
import { type SettingRow, selectSettings } from '../../store/instance/settings-store.ts';
import { type ProjectServiceRow, selectProjectServices } from '../../store/services/project-service-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import { selectProjectVariableKeys } from '../../store/services/variable-store.ts';
import type { Database } from '../../store/sql/database.ts';
import type { Statements } from '../../store/sql/read-together.ts';

export interface SuggestionRows {
  serviceRows: ProjectServiceRow[];
  keys: { serviceId: string; key: string }[];
  settings: SettingRow[];
}

/** Statements for the batch that reads the key. @param project id of a project that the key can access (store/scoped-store) */
export function suggestionStatements(db: Database, project: SQL): Statements<SuggestionRows> {
  return {
    serviceRows: selectProjectServices(db, project),
    keys: selectProjectVariableKeys(db, project),
    settings: selectSettings(db),
  };
}

/** Suggests the variables of a project's databases. */
export function suggestDatabaseVariables(rows: SuggestionRows): DatabaseSuggestion[] {
  const { serviceRows, stored } = servicesAndKeys(rows);
  return databaseSuggestions(serviceRows, stored);
}

/** Suggests keys that the service lacks, and the variables of the project's other databases. */
export function suggestKeys(
  service: ServiceRow,
  rows: SuggestionRows,
): { suggestions: KeySuggestion[]; databaseVariables: DatabaseSuggestion[] } {
  const { serviceRows, stored } = servicesAndKeys(rows);
  const others = serviceRows.filter(({ id }) => id !== service.id);
  return {
    suggestions: suggestedKeysFor(
      { ...service, engine: engineOf(service) },
      stored.get(service.id) ?? new Set(),
    ),
    databaseVariables: databaseSuggestions(others, stored),
  };
}

function servicesAndKeys({ serviceRows, keys, settings }: SuggestionRows) {
  const byService = Map.groupBy(keys, ({ serviceId }) => serviceId);
  const stored = new Map(Array.from(byService, ([id, rows]) => [id, new Set(rows.map(({ key }) => key))]));
  return { serviceRows: projectServicesOf(serviceRows, settingsOf(settings)), stored };
}
