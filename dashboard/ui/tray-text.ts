/** Texts of the tray. */
import type { Deployment } from '../api/queries.ts';

const doing: Record<Deployment['trigger'], string> = {
  manual: 'Deploying',
  webhook: 'Deploying',
  restart: 'Restarting',
  rollback: 'Rolling back',
  restore: 'Restoring',
  'image-update': 'Updating',
};

export const trayText = {
  label: 'Started by you',
  doing: ({ trigger }: Deployment, name: string) => `${doing[trigger]} ${name}`,
  queued: (name: string) => `${name} waits for its host`,
  live: (name: string) => `${name} is live`,
  failed: (what: string) => `${what} failed`,
  aborted: (what: string) => `${what} was aborted`,
  follow: 'Follow',
  open: 'Open',
  why: 'See why',
  notify: 'Notify me',
  notifyHelp:
    'Show a notification of the browser when a deployment of yours ends and this tab is not in sight',
  notified: 'You get a notification when it ends',
} as const;
