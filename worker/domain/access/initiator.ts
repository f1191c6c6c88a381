/** Who acts: recorded with each job that is started, and with each entry of the audit log. */

export const initiatorTypes = ['member', 'key', 'operator', 'push', 'schedule', 'platform'] as const;

/** Stored with the name of that time, so that it outlives the member, the key or the schedule. */
export interface Initiator {
  type: (typeof initiatorTypes)[number];
  /** Id of the member, the key, the operator's session or the schedule of commands; otherwise `null`. */
  id: string | null;
  /** Name of the member, the key or the schedule; for a push the author that the git host names; `null` if there is none. */
  name: string | null;
}

/** The platform's own work, such as the restart of a crashed service. */
export const platform: Initiator = { type: 'platform', id: null, name: null };

/** The schedule of automatic backups or of their tests. */
export const backupSchedule: Initiator = { type: 'schedule', id: null, name: null };

/** @param author undefined if the git host does not name one */
export const byPush = (author?: string): Initiator => ({ type: 'push', id: null, name: author ?? null });

/** @param name of a member who joined at a provider without a name, it is the address, which must not outlive the member */
export const byMember = (id: string, name: string): Initiator => ({
  type: 'member',
  id,
  name: name.replace(/^([^@\s]+)@[^@\s]+$/, '$1'),
});

/** "Ada", "the key ci", "a push by Ann Lee", "the platform": for sentences. */
export function initiatorText({ type, name }: Initiator): string {
  switch (type) {
    case 'member':
      return name ?? 'a member';
    case 'key':
      return name === null ? 'a key' : `the key ${name}`;
    case 'operator':
      return 'the operator';
    case 'push':
      return name === null ? 'a push' : `a push by ${name}`;
    case 'schedule':
      return name === null ? 'a schedule' : `the schedule ${name}`;
    case 'platform':
      return 'the platform';
  }
}
