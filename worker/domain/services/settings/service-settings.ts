/** The table of settings that clients can set for a service. Schemas, answers, specs, forms and references are generated from it. */
import { z } from 'zod';
import type {
  ContainerSettings,
  HealthSettings,
  StopSettings,
} from '../../../../protocol/container-settings.ts';
import type { BuildSettings } from '../../../../protocol/job-spec.ts';
import { ApiError } from '../../errors.ts';
import { type ServiceKind, serviceKinds } from '../service-kind.ts';
import { containerSettings } from './container-settings.ts';
import { databaseSettings, placeSettings } from './database-settings.ts';
import { runningSettings } from './running-settings.ts';
import type { Setting } from './setting.ts';
import { generalSettings, type PushSettings, pushSettings, sourceSettings } from './source-settings.ts';

const serviceSettings = {
  name: generalSettings.name,
  ...sourceSettings,
  ...pushSettings,
  ...runningSettings,
  ...containerSettings,
  ...databaseSettings,
  ...placeSettings,
  protected: generalSettings.protected,
} as const;

type Table = typeof serviceSettings;
export type SettingName = keyof Table;
type Where<Fact> = { [Name in SettingName]: Table[Name] extends Fact ? Name : never }[SettingName];
type AnswerOf<Row> = Row extends { answer: infer Schema extends z.ZodType } ? Schema : never;

/** In the display order of clients. */
export const settingRows = Object.entries(serviceSettings) as [SettingName, Setting][];

/** The names of the settings for which `holds` returns true. */
export const settingsWhere = (holds: (setting: Setting) => boolean): SettingName[] =>
  settingRows.filter(([, setting]) => holds(setting)).map(([name]) => name);

/** Schemas by name of the setting, with the setting's note for the API reference. */
const fieldsOf = <Fields>(part: (setting: Setting) => z.ZodType | undefined) =>
  Object.fromEntries(
    settingRows.flatMap(([name, setting]) => {
      const field = part(setting);
      const { note: description, example } = setting;
      return field
        ? [[name, field.meta({ description, ...(example !== undefined && { examples: [example] }) })]]
        : [];
    }),
  ) as Fields;

/** Body of a PATCH: an absent field does not change, null clears it. */
export const servicePatchSchema = z
  .strictObject(fieldsOf<{ [Name in SettingName]: Table[Name]['schema'] }>(({ schema }) => schema))
  .partial();
export type ServicePatch = z.infer<typeof servicePatchSchema>;

type Shown = Where<{ answer: z.ZodType }>;
type Answers = { [Name in Shown]: AnswerOf<Table[Name]> };
export const answeredSettings = fieldsOf<Answers>(({ answer }) => answer);

type InColumn = Where<{ stored: 'column' }>;
/** The columns of a service that hold one setting each. */
export type SettingColumns = { [Name in InColumn]: z.infer<AnswerOf<Table[Name]>> };
const columns = settingsWhere(({ stored }) => stored === 'column') as InColumn[];

/** The JSON columns for rarely used settings; `null` if none is set. */
export interface JsonColumns {
  containerSettings: ContainerSettings | null;
  healthSettings: HealthSettings | null;
  stopSettings: StopSettings | null;
  pushSettings: PushSettings | null;
  buildSettings: BuildSettings | null;
}
export type JsonColumn = keyof JsonColumns;
const noJsonColumns: JsonColumns = {
  containerSettings: null,
  healthSettings: null,
  stopSettings: null,
  buildSettings: null,
  pushSettings: null,
};
const jsonColumns = Object.keys(noJsonColumns) as JsonColumn[];

type Values = Readonly<Record<string, unknown>>;

/** The columns with settings for this part of a deployment's spec. */
export const columnsIn = <Part extends Setting['spec']>(part: Part, service: SettingColumns) =>
  Object.fromEntries(
    columns
      .filter((name) => (serviceSettings[name] as Setting).spec === part)
      .map((name) => [name, service[name]]),
  ) as Pick<SettingColumns, InColumn & Where<{ spec: Part }>>;

/** The changes that a PATCH makes to columns with one setting. */
export const changedColumns = (patch: ServicePatch): Partial<SettingColumns> =>
  Object.fromEntries(columns.filter((name) => patch[name] !== undefined).map((name) => [name, patch[name]]));

/** The columns of a new service except its name, with defaults filled in. @param defaultPort for a body without internalPort */
export const newColumns = (
  body: ServicePatch,
  defaultPort: number = serviceSettings.internalPort.default,
): Omit<SettingColumns, 'name'> => {
  const rows = columns.filter((name) => name !== 'name');
  const values = rows.map((name) => [name, body[name] ?? serviceSettings[name].default]);
  return { ...Object.fromEntries(values), internalPort: body.internalPort ?? defaultPort };
};

/** The values that a body sets or (null) clears in each JSON column; columns without a change are left out. */
export const jsonChanges = (body: ServicePatch): [JsonColumn, Values][] =>
  jsonColumns.flatMap((column) => {
    const names = settingsWhere(({ stored }) => stored === column).filter((name) => body[name] !== undefined);
    return names.length === 0 ? [] : [[column, Object.fromEntries(names.map((name) => [name, body[name]]))]];
  });

export function newJsonColumns(body: ServicePatch): JsonColumns {
  const set = jsonChanges(body).map(([column, changes]) => {
    const values = Object.entries(changes).filter(([, value]) => value !== null);
    return [column, values.length === 0 ? null : Object.fromEntries(values)];
  });
  return { ...noJsonColumns, ...Object.fromEntries(set) };
}

const shownRows = settingRows.filter(([, { answer }]) => answer !== undefined);
const shownFields = shownRows.filter(([, { stored }]) => stored === 'column' || stored === 'code');
const shownKeys = shownRows.filter((row) => !shownFields.includes(row));
const hasSetting = (kind: ServiceKind, { kinds }: Setting) => kinds?.includes(kind) !== false;

/**
 * The answer for services of a kind that set no key of a JSON column. It is copied, because a list has a thousand services and V8 needs several
 * times as long for objects that get their keys one by one. It is stored as JSON, because parsing creates an object of the fast kind, and
 * `fromEntries` does not.
 */
const usualAnswers = (kind: ServiceKind): Values =>
  JSON.parse(
    JSON.stringify({
      ...Object.fromEntries(shownRows.map(([name]) => [name, null])),
      ...Object.fromEntries(
        shownKeys.map(([name, row]) => [name, hasSetting(kind, row) ? (row.default ?? null) : null]),
      ),
    }),
  );
const usualOf = new Map(serviceKinds.map((kind) => [kind, usualAnswers(kind)]));

/** The settings of a service in the form of the API's answers. */
export function answersOf(
  service: object & JsonColumns & { kind: ServiceKind },
): z.infer<z.ZodObject<Answers>> {
  const values = service as Values & typeof service;
  const answers: Record<string, unknown> = { ...usualOf.get(service.kind) };
  for (const [name] of shownFields) answers[name] = values[name];
  if (jsonColumns.some((column) => service[column] !== null))
    for (const [name, row] of shownKeys)
      if (hasSetting(service.kind, row))
        answers[name] = (values[row.stored] as Values | null)?.[name] ?? answers[name];
  return answers as z.infer<z.ZodObject<Answers>>;
}

/** The settings in a JSON column that services of this kind have. The others are stored for a return to their kind. */
export function settingsOfKind<Column extends JsonColumn>(
  service: JsonColumns & { kind: ServiceKind },
  column: Column,
): JsonColumns[Column] {
  const entries = Object.entries(service[column] ?? {}).filter(([name]) =>
    kindHasSetting(service.kind, name),
  );
  return (entries.length === 0 ? null : Object.fromEntries(entries)) as JsonColumns[Column];
}

const rowsByName = new Map<string, Setting>(settingRows);

/** Whether services of this kind have the setting. True for names that are no settings. */
export const kindHasSetting = (kind: ServiceKind, name: string): boolean =>
  rowsByName.get(name)?.kinds?.includes(kind) !== false;

/** The settings that are set and that services of the kind `before` have, but not this service. */
export const settingsWithoutEffect = (
  before: ServiceKind,
  service: SettingColumns & JsonColumns & { kind: ServiceKind },
): SettingName[] =>
  settingRows
    .filter(([, row]) => hasSetting(before, row) && !hasSetting(service.kind, row) && row.stored !== 'code')
    .filter(([name, row]) => {
      const place = (row.stored === 'column' ? service : service[row.stored as JsonColumn]) as Values | null;
      const value = place?.[name] ?? null;
      return value !== null && value !== row.default;
    })
    .map(([name]) => name);

/** @throws ApiError `unsupported` for a setting that would have no effect on this kind, or would harm a database, with an alternative */
export function assertSettingsOfKind(kind: ServiceKind, body: ServicePatch): void {
  for (const [name, { refusals }] of settingRows) {
    const refusal = refusals?.[kind];
    if (refusal === undefined || body[name] === undefined || body[name] === null) continue;
    throw new ApiError('unsupported', `The field "${name}" ${refusal}`);
  }
}
