/**
 * Descriptions of fields whose name means something else in one place: `quotas.projects` is a number, `key.projects` is a list.
 * Keys are the field that contains it, or the schema at the top, and the name.
 */
const keyProjects = '`all`, or the ids of the projects that the key can access.';
const memberProjects = '`all`, or the ids of the projects that the member can access.';
const scheduleEnabled = 'Whether it runs at its times.';
const uploadDeployedAt = 'When it was last deployed; null: never.';
const suggestedValue = 'The value to set.';
const imageHost = 'The beginning of the names of its images, such as `ghcr.io`; `docker.io` for Docker Hub.';
const eventType = 'Type of the event.';
const continuation = 'For the request that continues it: the page keeps it.';

export const placeNotes: Readonly<Record<string, string>> = {
  'PostKeysBody.projects': keyProjects,
  'PostSystemKeysBody.projects': keyProjects,
  'key.projects': keyProjects,
  'keys.projects': keyProjects,
  'PostMembersBody.projects': memberProjects,
  'PatchMemberBody.projects': memberProjects,
  'newMembers.projects': memberProjects,
  'member.projects': memberProjects,
  'members.projects': memberProjects,
  'dataKeys.projects': 'Projects of the tenant, deleted ones that are kept included.',
  'strays.services': 'Services that no row has on this host.',
  'services.volumes': 'Names of its data volumes.',
  'strays.missing': 'What the host lacks, although a row has it.',
  'PostRegistriesBody.host': imageHost,
  'registry.host': imageHost,
  'registries.host': imageHost,
  'terminal.type': 'Value of the variable TERM.',
  'terminal.columns': 'Width in characters.',
  'terminal.rows': 'Height in characters.',
  'publicKey.user': 'The member, as the device shows it.',
  'PostSignInOidcReply.proof': continuation,
  'PostIdentitiesAttemptsReply.proof': continuation,
  'proof.name': 'Name of the record.',
  'proof.value': 'Value of the record.',
  'verificationRecord.name': 'Name of the record.',
  'verificationRecord.value': 'Value of the record.',
  'webhook.events': 'Events that the git host has to send.',
  'events.type': eventType,
  'notifications.type': eventType,
  'PostDeploymentExplainFailureReply.provider':
    'The source of the explanation: an AI provider, or the built-in rules.',
  'result.provider': 'The provider that answered.',
  'PostSystemStraysRemoveBody.data': 'Whether its data volumes and backups are removed too.',
  'credentials.description': 'What it is, and where you get it.',
  'lastUpgrade.version': 'The release that was to be installed.',
  'derivedVariables.value': 'The value; empty where it is hidden from the key.',
  'suggestions.value': suggestedValue,
  'databaseVariables.value': suggestedValue,
  'GetKeyReply.key': 'The key.',
  'PostKeysReply.key': 'The key.',
  'encryption.key': 'Name of the current key, derived from its hash.',
  'upload.lastDeployedAt': uploadDeployedAt,
  'uploads.lastDeployedAt': uploadDeployedAt,
  'upload.missing': 'Numbers of the parts that are missing.',
  'PostServiceDeploymentsBody.uploadId':
    'The uploaded folder to build; absent: the one that was deployed last.',
  'deleted.backupBytes': 'Bytes of its backups.',
  'schedule.enabled': scheduleEnabled,
  'schedules.enabled': scheduleEnabled,
  'PostServiceSchedulesBody.enabled': scheduleEnabled,
  'PatchServiceScheduleBody.enabled': scheduleEnabled,
  'variableNames.key': 'Key of the variable.',
  'variableNames.name': 'Name of the variable in the container.',
};
