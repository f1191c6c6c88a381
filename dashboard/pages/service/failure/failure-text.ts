/** Texts of explained failures. */
import { clockTime, dateText } from '../../../ui/age.tsx';

const recentMs = 20 * 3_600_000;

/** "22:13:05", or with the day if it is not of today. */
const sinceText = (at: string): string =>
  Date.now() - Date.parse(at) < recentMs ? clockTime(at) : `${dateText(at)}, ${clockTime(at)}`;

export const failureText = {
  looking: 'Looking at the log',
  serves: (version: string, since: string) => [version, ` keeps serving, since ${sinceText(since)}`] as const,
  aVersion: 'The version before',
  nothingServes: 'Nothing is serving',
  lines: 'Lines around the error',
  toLine: (number: number) => `Show line ${number} in the log`,
  cause: 'Likely cause',
  fix: 'What to do',
  commands: 'Commands for a terminal',
  command: 'command',
  set: (key: string) => `Set ${key}`,
  value: (key: string) => `Value of ${key}`,
  setTo: (what: string, value: string) => `Set ${what} to ${value}`,
  clear: (what: string) => `Clear ${what}`,
  apply: {
    deploy: 'Save and deploy',
    restart: 'Save and restart',
    none: 'Save',
  },
  applyDirectly: { deploy: ' and deploy', restart: ' and restart', none: '' },
  saved: 'Saved',
  deploy: 'Deploy again',
  restart: 'Restart',
  rollback: 'Roll back',
  openLog: 'Open log',
  variables: 'Open variables',
  project: 'Open the project',
  buildSettings: 'Open Build settings',
  connect: {
    'git-host': 'Connect the git host',
    registry: 'Store a registry login',
    'deploy-key': 'Open the deploy key',
    'new-deploy-key': 'Make a deploy key',
  },
  runAgain: 'Open commands',
  sendFolder: 'Send the folder again from its place:',
  ask: (id: string) => `Ask ${id}`,
  asked: (id: string) => `Written by ${id}: check it before you follow it.`,
} as const;
