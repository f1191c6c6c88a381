/** Texts of metrics and alerts. */

export const alertsText = {
  title: 'Alerts',
  open: 'Active',
  resolved: 'Resolved',
  none: 'No active alerts',
  noneHelp: 'An alert opens automatically when something needs attention, and ends when the problem is over.',
  noneOver: 'No alert was resolved',
  rulesHelp: 'Rules and notification channels are in each project, under Notifications.',
  rules: {
    own: 'Your own rule',
    memory: 'Memory nearly full',
    restarts: 'Restarts repeatedly',
    outOfMemory: 'Out of memory',
    hostDisk: 'Disk of the host nearly full',
    hostMemory: 'Memory of the host nearly full',
    certificate: 'Certificate expires soon',
    queue: 'Job waits too long',
    backupAge: 'Backup is old',
    quotaNear: 'Quota nearly used up',
    quotaRefused: 'Quota refuses requests',
    hostAway: 'Host not connected',
  },
  lasted: (duration: string) => `for ${duration}`,
  acknowledge: 'Acknowledge',
  acknowledgeLabel: (rule: string, name: string) => `Acknowledge ${rule} of ${name}`,
  acknowledged: 'Acknowledged',
  takeBack: 'Undo acknowledgement',
  takeBackLabel: (rule: string, name: string) => `Undo acknowledgement: ${rule} of ${name}`,
  silence: 'Silence 2 h',
  silenceLabel: (rule: string, name: string) => `Silence 2 h: ${rule} of ${name}`,
  unsilence: 'End silence',
  unsilenceLabel: (rule: string, name: string) => `End silence of ${rule} of ${name}`,
  silencedUntil: (when: string) => `Silenced until ${when}`,
  show: 'Show alerts that are',
} as const;

export const hostAlertsText = {
  title: 'Alerts',
  help: 'Of all hosts, services and quotas of this instance.',
  seenBy: (host: string) => `on ${host}`,
  rules: 'Alert rules',
  rulesHelp:
    'Rules that you add here watch hosts. A default rule that you switch off here is off in all projects.',
  eachHost: 'Each host',
} as const;
