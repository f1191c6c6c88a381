/** Settings of the instance: names, schemas and defaults. Stored one row a name; an absent row is the default. */
import { z } from 'zod';
import { hostnameSchema } from './hostname.ts';

export const settingsSchema = z.strictObject({
  /** Generated host names of new services are below it; null: `localhost`. */
  rootDomain: hostnameSchema.nullable(),
  /** Address that domains are to point at; null: what each host reports. */
  publicIp: z.union([z.ipv4(), z.ipv6()], { error: 'must be an IP address or null' }).nullable(),
  /** Read keys then see empty values of variables. */
  maskValuesForReadKeys: z.boolean(),
});

export type Settings = z.infer<typeof settingsSchema>;

export const defaultSettings: Settings = { rootDomain: null, publicIp: null, maskValuesForReadKeys: false };

/** What rows say over the defaults. A stored value that no longer fits its schema counts as absent. */
export function settingsOf(rows: readonly { name: string; value: unknown }[]): Settings {
  const stored = Object.fromEntries(rows.map(({ name, value }) => [name, value]));
  const read = <Name extends keyof Settings>(name: Name): Settings[Name] => {
    const parsed = settingsSchema.shape[name].safeParse(stored[name]);
    return parsed.success ? (parsed.data as Settings[Name]) : defaultSettings[name];
  };
  return {
    rootDomain: read('rootDomain'),
    publicIp: read('publicIp'),
    maskValuesForReadKeys: read('maskValuesForReadKeys'),
  };
}
