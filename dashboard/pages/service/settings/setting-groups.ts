/** The settings of a service with a single value, in groups. The properties of each setting are in client/service-settings.ts. */
import { type ServiceSetting, serviceSettings } from '../../../../client/service-settings.ts';
import type { Service } from '../../../api/queries.ts';
import { serviceSettingsText } from '../../../text/service-settings-text.ts';
import { isDatabase } from '../../../ui/service-kind.ts';
import { comparisonText } from '../comparison-text.ts';
import { volumesText } from './resources-text.ts';

export interface SettingField extends ServiceSetting {
  name: string;
}

export interface SettingGroup {
  name: string;
  appliedBy: ServiceSetting['appliedBy'];
  fields: readonly SettingField[];
}

const sourceGroup = 'Build';
const groupOrder = [
  ...['General', 'Running', 'Connections', 'Health check', 'End of a version', 'Container', sourceGroup],
];

const fieldsOf = (group: string): SettingField[] =>
  Object.entries(serviceSettings).flatMap(([name, setting]) =>
    setting.group === group ? [{ ...setting, name }] : [],
  );

export const settingGroups: readonly SettingGroup[] = groupOrder.map((name) => {
  const fields = fieldsOf(name);
  return { name, appliedBy: fields[0]?.appliedBy ?? 'nothing', fields };
});

const kindOf = (service: Service) => {
  if (isDatabase(service)) return 'database';
  if (service.imageRef !== null) return 'image';
  return service.repoUrl === 'upload' ? 'upload' : 'git';
};
export const isGit = (service: Service) => kindOf(service) === 'git';

/** The fields of a group that this service has. */
export const fieldsFor = (service: Service, { fields }: SettingGroup): SettingField[] =>
  fields.filter(
    ({ kinds, isForWeb, engines }) =>
      kinds?.includes(kindOf(service)) !== false &&
      (!isForWeb || service.runtimeMode === 'web') &&
      engines?.includes(service.framework ?? '') !== false,
  );

/** For an image, the group "Build" has another title, because there is no build. */
export const groupTitle = (service: Service, { name }: SettingGroup): string =>
  name === sourceGroup && kindOf(service) === 'image' ? serviceSettingsText.image : name;

/** The choices of a field. An image can't be a static site. */
export const choicesFor = (service: Service, { choices = [] }: SettingField): readonly string[] =>
  kindOf(service) === 'image' ? choices.filter((choice) => choice !== 'static') : choices;

/** The value as editable text. */
export function settingText(service: Service, { name }: SettingField): string {
  const value = ({ ...service } as Readonly<Record<string, unknown>>)[name];
  if (value === null) return '';
  return Array.isArray(value) ? value.join('\n') : String(value);
}

/** The typed value; null: empty, so that the default applies. */
export function settingValue({ control, isRequired }: SettingField, text: string): unknown {
  if (control === 'switch') return text === 'true';
  if (text.trim() === '' && !isRequired) return null;
  if (control === 'number') return Number(text);
  return control === 'words' ? text.split('\n') : text;
}

/** The dashboard's label of a setting; others keep the API's name. */
export function settingLabel(name: string): string {
  const known: Partial<Record<string, ServiceSetting>> = serviceSettings;
  return name === 'volumes' ? volumesText.title : (known[name]?.label ?? name);
}

/** A list, for example of volumes, arrives as JSON. */
export function pendingText(value: string | null): string {
  if (value === null) return comparisonText.notSet;
  if (!value.startsWith('[')) return value;
  try {
    const list: unknown = JSON.parse(value);
    return Array.isArray(list) ? list.join(', ') : value;
  } catch {
    return value;
  }
}
