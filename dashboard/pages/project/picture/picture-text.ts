/** Texts of the picture of a project. */

export const pictureText = {
  title: 'Architecture',
  names: 'Addresses',
  apps: 'Apps',
  data: 'Databases',
  view: 'View',
  views: { picture: 'Picture', table: 'Table' },
  incomplete: 'This project has very many variables; only the oldest 2,000 are considered.',
  refersTo: (names: string) => `Refers to ${names}`,
  referredBy: (names: string) => `Used by ${names}`,
  open: 'Open',
  closePanel: (name: string) => `Close ${name}`,
  logs: 'Logs',
  metrics: 'Metrics',
  deployments: 'Deployments',
  variables: 'Variables',
  tables: 'Tables',
  inside: 'Inside the project',
} as const;
