/** Settings of the instance with a single value: the kind of value, and the group. */
import type { PatchSystemSettingsBody, ReplyOf } from '../../../../client/client.ts';
import { instanceSettingsText } from './instance-text.ts';

export type InstanceSettings = ReplyOf<'GET /api/system/settings'>['settings'];

/** Settings of the group `retention` are sent inside an object. */
type RetentionName = keyof InstanceSettings['retention'];
const retentionNames: readonly string[] = ['deploymentDays', 'deploymentsPerService', 'jobDays', 'eventDays'];

export interface InstanceField {
  name: (keyof InstanceSettings | RetentionName) & keyof typeof instanceSettingsText.fields;
  kind: 'text' | 'number' | 'words' | 'check' | 'choice';
  choices?: readonly { value: string; text: string }[];
  isRequired?: boolean;
}

interface InstanceGroup {
  name: keyof typeof instanceSettingsText.groups;
  fields: readonly InstanceField[];
}

const number = (name: InstanceField['name']): InstanceField => ({ name, kind: 'number', isRequired: true });
const reads = (['plain', 'all', 'none'] as const).map((value) => ({
  value,
  text: instanceSettingsText.reads[value],
}));

export const instanceGroups: readonly InstanceGroup[] = [
  {
    name: 'names',
    fields: [
      { name: 'rootDomain', kind: 'text' },
      { name: 'publicIp', kind: 'text' },
    ],
  },
  {
    name: 'limits',
    fields: [
      number('readsPerMinute'),
      number('writesPerMinute'),
      number('failedSignInsPerMinute'),
      { name: 'objectRequestsPerDay', kind: 'number' },
    ],
  },
  {
    name: 'keeping',
    fields: [
      number('auditDays'),
      number('logDays'),
      { name: 'logArchiveDays', kind: 'number' },
      number('deploymentDays'),
      number('deploymentsPerService'),
      number('jobDays'),
      number('eventDays'),
      number('keepDeletedHours'),
      number('keepDumps'),
    ],
  },
  {
    name: 'access',
    fields: [
      { name: 'readKeysSee', kind: 'choice', choices: reads },
      { name: 'corsOrigins', kind: 'words' },
      { name: 'allowPrivateEventWebhook', kind: 'check' },
      { name: 'allowPrivateAiProviders', kind: 'check' },
      { name: 'allowPrivateSignInProviders', kind: 'check' },
      { name: 'allowPrivateBackupBucket', kind: 'check' },
    ],
  },
];

/** The value as editable text. */
export function instanceText(settings: InstanceSettings, { name }: InstanceField): string {
  const value: unknown = { ...settings, ...settings.retention }[name];
  if (value === null) return '';
  return Array.isArray(value) ? value.join('\n') : String(value);
}

/** @param typed texts of the fields, by name @returns a body that sets them; the server checks it */
export function instanceBody(typed: readonly (readonly [InstanceField, string])[]): PatchSystemSettingsBody {
  const values = typed.map(([field, text]) => [field.name, settingOf(field, text)] as const);
  const kept = values.filter(([name]) => retentionNames.includes(name));
  return Object.fromEntries([
    ...values.filter(([name]) => !retentionNames.includes(name)),
    ...(kept.length > 0 ? [['retention', Object.fromEntries(kept)] as const] : []),
  ]);
}

function settingOf({ kind, isRequired }: InstanceField, text: string): unknown {
  if (kind === 'check') return text === 'true';
  if (kind === 'words') return text.split(/\s+/).filter(Boolean);
  if (text.trim() === '' && !isRequired) return null;
  return kind === 'number' ? Number(text) : text.trim();
}
