/** Every route of the API with its query, body and answer. Made by `npm run client`; changes go into the schemas of worker/api. */

/**
 * One Server-Sent Event of a build log or of the output of a command.
 */
export type LogEvent =
  | {
      /**
       * Name of the event.
       */
      event: 'snapshot';
      /**
       * Id of the last line in the event. Send it as `Last-Event-ID` to continue after it.
       */
      id?: string;
      /**
       * The first event: all lines so far, or those after `Last-Event-ID`.
       */
      data: LogEntry[];
    }
  | {
      /**
       * Name of the event.
       */
      event: 'log';
      /**
       * Id of the last line in the event. Send it as `Last-Event-ID` to continue after it.
       */
      id: string;
      data: LogEntry;
    }
  | {
      /**
       * Name of the event.
       */
      event: 'ping';
      /**
       * Sent every 15 s.
       */
      data: {
        /**
         * Milliseconds since 1970.
         */
        t: number;
      };
    }
  | {
      /**
       * Name of the event.
       */
      event: 'pace';
      /**
       * How often lines come from now on. Sent only when it changes.
       */
      data: {
        /**
         * Milliseconds between two groups of lines; 250 normally.
         */
        everyMs: number;
        /**
         * Why it is longer; null: it is as usual again.
         */
        reason: string | null;
      };
    }
  | {
      /**
       * Name of the event.
       */
      event: 'status';
      /**
       * The last event.
       */
      data: {
        /**
         * Whether it succeeded.
         */
        ok: boolean;
        /**
         * The connection closes after this event.
         */
        closed: true;
        /**
         * State, one of a closed set.
         */
        status?: 'running' | 'failed' | 'aborted';
        /**
         * Code of the failure; null if it did not fail.
         */
        code?: string | null;
        /**
         * Sentence of the failure; null if it did not fail.
         */
        error?: string | null;
      };
    };
/**
 * One Server-Sent Event of the stream of changes.
 */
export type ChangeEvent =
  | {
      /**
       * The first event, if nothing changed since `Last-Event-ID`.
       */
      event: 'current';
      /**
       * Stands for what was seen so far. Send it as `Last-Event-ID` to get what changes after it.
       */
      id: string;
      /**
       * Empty lists.
       */
      data: {
        /**
         * The projects.
         */
        projectIds: string[];
        /**
         * The services.
         */
        serviceIds: string[];
      };
    }
  | {
      /**
       * Something is different. Ask for it to see what.
       */
      event: 'changed';
      /**
       * Stands for what was seen so far. Send it as `Last-Event-ID` to get what changes after it.
       */
      id: string;
      /**
       * Where: the services, and their projects. Those that came or went are named as well.
       */
      data: {
        /**
         * The projects.
         */
        projectIds: string[];
        /**
         * The services.
         */
        serviceIds: string[];
      };
    }
  | {
      /**
       * Sent every 3 s.
       */
      event: 'ping';
      /**
       * The data of the event.
       */
      data: {
        /**
         * Milliseconds since 1970.
         */
        t: number;
      };
    }
  | {
      /**
       * The last event: open the stream again.
       */
      event: 'status';
      /**
       * The data of the event.
       */
      data: {
        /**
         * Always false.
         */
        ok: boolean;
        /**
         * The connection closes after this event.
         */
        closed: true;
      };
    };
/**
 * One Server-Sent Event of a runtime log. After a status with `ok: false`, open the stream again.
 */
export type RuntimeLogEvent =
  | {
      /**
       * Name of the event.
       */
      event: 'snapshot';
      /**
       * Id of the last line in the event. Send it as `Last-Event-ID` to continue after it.
       */
      id?: string;
      /**
       * The first event: all lines so far, or those after `Last-Event-ID`.
       */
      data: RuntimeLogEntry[];
    }
  | {
      /**
       * Name of the event.
       */
      event: 'log';
      /**
       * Id of the last line in the event. Send it as `Last-Event-ID` to continue after it.
       */
      id: string;
      data: RuntimeLogEntry;
    }
  | {
      /**
       * Name of the event.
       */
      event: 'ping';
      /**
       * Sent every 15 s.
       */
      data: {
        /**
         * Milliseconds since 1970.
         */
        t: number;
      };
    }
  | {
      /**
       * Name of the event.
       */
      event: 'pace';
      /**
       * How often lines come from now on. Sent only when it changes.
       */
      data: {
        /**
         * Milliseconds between two groups of lines; 250 normally.
         */
        everyMs: number;
        /**
         * Why it is longer; null: it is as usual again.
         */
        reason: string | null;
      };
    }
  | {
      /**
       * Name of the event.
       */
      event: 'status';
      /**
       * The last event.
       */
      data: {
        /**
         * Whether it succeeded.
         */
        ok: boolean;
        /**
         * The connection closes after this event.
         */
        closed: true;
        /**
         * Why it ends: `runner_offline` (the host is away), `moved` or `timeout`.
         */
        code?: string;
        /**
         * The same as a sentence.
         */
        error?: string;
      };
    };
/**
 * One Server-Sent Event of a followed search in runtime logs.
 */
export type KeptLogEvent =
  | {
      /**
       * Name of the event.
       */
      event: 'lines';
      /**
       * The place after these lines. Send it as `Last-Event-ID` to continue there.
       */
      id: string;
      /**
       * Lines in the order of their ids; first those of the past.
       */
      data: KeptLogEntry[];
    }
  | {
      /**
       * Name of the event.
       */
      event: 'state';
      /**
       * Sent before the lines after a gap, and when something else of it changes.
       */
      data: {
        /**
         * Lines that match and were left out here: more came than a reader is sent (1,000 at a time).
         */
        skippedLines: number;
        /**
         * Whether all left out lines were counted; otherwise there are more.
         */
        isExact: boolean;
        /**
         * How old the lines are that come now; 0: they are new.
         */
        behindMs: number;
        /**
         * Hosts whose lines are missing.
         */
        hostsAway: {
          /**
           * The host, which POST /api/system/runners enrolled.
           */
          runnerId: string;
          /**
           * The name of the host.
           */
          hostName: string;
          /**
           * Why it did not answer, as a sentence.
           */
          reason: string;
        }[];
      };
    }
  | {
      /**
       * Name of the event.
       */
      event: 'ping';
      /**
       * Sent every 15 s.
       */
      data: {
        /**
         * Milliseconds since 1970.
         */
        t: number;
      };
    }
  | {
      /**
       * Name of the event.
       */
      event: 'status';
      /**
       * The last event: open the stream again.
       */
      data: {
        /**
         * Whether it succeeded.
         */
        ok: boolean;
        /**
         * The connection closes after this event.
         */
        closed: true;
      };
    };
export type PostSignInDeviceExchangeReply =
  | {
      /**
       * No member has decided yet.
       */
      state: 'waiting';
      /**
       * Seconds to wait before the next request.
       */
      intervalSeconds: number;
    }
  | {
      /**
       * A member has allowed the sign-in.
       */
      state: 'signed-in';
      /**
       * Id of the session, for DELETE /api/sessions/:sessionId.
       */
      sessionId: string;
      /**
       * For the header Authorization: Bearer.
       */
      token: string;
      /**
       * How long the token works.
       */
      expiresInSeconds: number;
      /**
       * The secret of the device. Each exchange replaces it.
       */
      deviceToken: string;
    };
export type PostSystemAiProvidersBody =
  | {
      /**
       * Id of the provider, chosen by you.
       */
      id: string;
      /**
       * Model for requests that name none.
       */
      defaultModel: string;
      /**
       * Whether it is switched on.
       */
      enabled?: boolean;
      /**
       * Its kind.
       */
      kind: 'openai-compatible';
      /**
       * Address of the API of the model.
       */
      baseUrl: string;
      /**
       * API key. Stored encrypted, never returned.
       */
      apiKey?: string | null;
    }
  | {
      /**
       * Id of the provider, chosen by you.
       */
      id: string;
      /**
       * Model for requests that name none.
       */
      defaultModel: string;
      /**
       * Whether it is switched on.
       */
      enabled?: boolean;
      /**
       * Its kind.
       */
      kind: 'anthropic';
      /**
       * Address of the API of the model.
       */
      baseUrl?: string;
      /**
       * API key. Stored encrypted, never returned.
       */
      apiKey: string;
    }
  | {
      /**
       * Id of the provider, chosen by you.
       */
      id: string;
      /**
       * Model for requests that name none.
       */
      defaultModel: string;
      /**
       * Whether it is switched on.
       */
      enabled?: boolean;
      /**
       * Its kind.
       */
      kind: 'workers-ai';
      /**
       * Id of the account.
       */
      accountId: string;
      /**
       * API key. Stored encrypted, never returned.
       */
      apiKey: string;
    };
export type PostSystemDnsProvidersBody =
  | {
      /**
       * The provider.
       */
      id: 'cloudflare';
      /**
       * Credentials, by the names that the provider needs. Stored encrypted, never returned.
       */
      credentials: {
        /**
         * API token with the permissions Zone:Read and DNS:Edit for the zones to use.
         */
        apiToken: string;
      };
      /**
       * false: store the credentials without checking them with the provider.
       */
      verify?: boolean;
    }
  | {
      /**
       * The provider.
       */
      id: 'namecheap';
      /**
       * Credentials, by the names that the provider needs. Stored encrypted, never returned.
       */
      credentials: {
        /**
         * User name of the account, from Profile > Tools > API Access.
         */
        apiUser: string;
        /**
         * API key from Profile > Tools > API Access.
         */
        apiKey: string;
        /**
         * Account to act for, if it is not the account of apiUser.
         */
        userName?: string;
        /**
         * Id of the host that calls Namecheap; its public IPv4 address must be on Namecheap's allow-list. Default: the oldest connected host.
         */
        runnerId?: string;
        /**
         * Public IPv4 address of that host, if it differs from what the host reports.
         */
        clientIp?: string;
      };
      /**
       * false: store the credentials without checking them with the provider.
       */
      verify?: boolean;
    }
  | {
      /**
       * The provider.
       */
      id: 'spaceship';
      /**
       * Credentials, by the names that the provider needs. Stored encrypted, never returned.
       */
      credentials: {
        /**
         * API key with the permissions domains:read, dnsrecords:read and dnsrecords:write.
         */
        apiKey: string;
        /**
         * Secret of that API key.
         */
        apiSecret: string;
      };
      /**
       * false: store the credentials without checking them with the provider.
       */
      verify?: boolean;
    };

export interface Routes {
  'GET /api/projects': {
    query: {
      limit?: number;
      cursor?: string;
    };
    reply: GetProjectsReply;
  };
  'POST /api/projects': {
    body: PostProjectsBody;
    reply: PostProjectsReply;
  };
  'GET /api/projects/:projectSlug': {
    reply: PostProjectsReply;
  };
  'PATCH /api/projects/:projectId': {
    body: PatchProjectBody;
    reply: PostProjectsReply;
  };
  'DELETE /api/projects/:projectId': {
    query: {
      /**
       * Whether it is removed permanently if none of its services was ever deployed: so a program takes back what it has just created.
       */
      purgeIfUnused?: 'true' | 'false';
    };
    reply: DeleteProjectReply;
  };
  'GET /api/projects/:projectId/services': {
    query: {
      limit?: number;
      cursor?: string;
    };
    reply: GetProjectServicesReply;
  };
  'POST /api/projects/:projectId/services': {
    body: PostProjectServicesBody;
    reply: PostProjectServicesReply;
  };
  'GET /api/services/:serviceId': {
    reply: GetServiceReply;
  };
  'GET /api/services/:serviceId/overview': {
    reply: GetServiceOverviewReply;
  };
  'PATCH /api/services/:serviceId': {
    body: PatchServiceBody;
    reply: PatchServiceReply;
  };
  'POST /api/services/:serviceId/transfer': {
    body: PostServiceTransferBody;
    reply: PostServiceTransferReply;
  };
  'DELETE /api/services/:serviceId': {
    query: {
      /**
       * Whether it is removed permanently if none of its services was ever deployed: so a program takes back what it has just created.
       */
      purgeIfUnused?: 'true' | 'false';
    };
    reply: DeleteServiceReply;
  };
  'POST /api/services/:serviceId/host-port': {
    body: PostServiceHostPortBody;
    reply: PostServiceHostPortReply;
  };
  'POST /api/services/:serviceId/deploy-key': {
    reply: PostServiceDeployKeyReply;
  };
  'GET /api/services/:serviceId/deploy-key': {
    reply: GetServiceDeployKeyReply;
  };
  'GET /api/hosts': {
    query: {
      limit?: number;
      cursor?: string;
    };
    reply: GetHostsReply;
  };
  'POST /api/services/:serviceId/env': {
    body: PostServiceEnvBody;
    reply: PostServiceEnvReply;
  };
  'POST /api/services/:serviceId/env/bulk': {
    body: PostServiceEnvBulkBody;
    reply: PostServiceEnvBulkReply;
  };
  'GET /api/services/:serviceId/env': {
    query: {
      limit?: number;
      cursor?: string;
    };
    reply: GetServiceEnvReply;
  };
  'DELETE /api/services/:serviceId/env/:envId': {
    reply: DeleteServiceEnvReply;
  };
  'GET /api/services/:serviceId/volumes': {
    reply: GetServiceVolumesReply;
  };
  'POST /api/services/:serviceId/volumes': {
    body: PostServiceVolumesBody;
    reply: PostServiceVolumesReply;
  };
  'PATCH /api/services/:serviceId/volumes/:volumeId': {
    body: PatchServiceVolumeBody;
    reply: PostServiceVolumesReply;
  };
  'DELETE /api/services/:serviceId/volumes/:volumeId': {
    reply: DeleteServiceVolumeReply;
  };
  'POST /api/services/:serviceId/volumes/:volumeId/restore': {
    reply: PostServiceVolumesReply;
  };
  'GET /api/services/:serviceId/volume-backups': {
    query: {
      limit?: number;
      cursor?: string;
    };
    reply: GetServiceVolumeBackupsReply;
  };
  'POST /api/services/:serviceId/volume-backups': {
    body: PostServiceVolumeBackupsBody;
    reply: PostServiceVolumeBackupsReply;
  };
  'PATCH /api/services/:serviceId/volume-backups/settings': {
    body: PatchServiceVolumeBackupsSettingsBody;
    reply: PatchServiceVolumeBackupsSettingsReply;
  };
  'POST /api/services/:serviceId/volume-backups/:backupId/restore': {
    body: PostServiceVolumeBackupRestoreBody;
    reply: PostServiceVolumeBackupRestoreReply;
  };
  'POST /api/services/:serviceId/volume-backups/:backupId/restore/abort': {
    reply: PostServiceVolumeBackupRestoreAbortReply;
  };
  'GET /api/services/:serviceId/volume-backups/:backupId/download': {
    query: {
      stored?: 'true' | 'false';
    };
    stream: 'application/octet-stream';
  };
  'POST /api/services/:serviceId/volume-backups/:backupId/abort': {
    reply: PostServiceVolumeBackupAbortReply;
  };
  'POST /api/services/:serviceId/volume-backups/:backupId/prove': {
    reply: PostServiceVolumeBackupProveReply;
  };
  'POST /api/services/:serviceId/volume-backups/:backupId/prove/abort': {
    reply: PostServiceVolumeBackupProveAbortReply;
  };
  'DELETE /api/services/:serviceId/volume-backups/:backupId': {
    reply: DeleteServiceVolumeBackupReply;
  };
  'POST /api/services/:serviceId/move': {
    body: PostServiceMoveBody;
    reply: PostServiceMoveReply;
  };
  'GET /api/services/:serviceId/files': {
    reply: GetServiceFilesReply;
  };
  'PUT /api/services/:serviceId/files': {
    body: PutServiceFilesBody;
    reply: PutServiceFilesReply;
  };
  'DELETE /api/services/:serviceId/files': {
    query: {
      /**
       * Absolute path in the container.
       */
      path: string;
    };
    reply: DeleteServiceFilesReply;
  };
  'GET /api/projects/:projectId/database-variable-suggestions': {
    reply: GetProjectDatabaseVariableSuggestionsReply;
  };
  'GET /api/services/:serviceId/suggestion-keys': {
    reply: GetServiceSuggestionKeysReply;
  };
  'GET /api/projects/:projectId/references': {
    reply: GetProjectReferencesReply;
  };
  'POST /api/services/:serviceId/domains': {
    body: PostServiceDomainsBody;
    reply: PostServiceDomainsReply;
  };
  'PATCH /api/services/:serviceId/domains/:domainId': {
    body: PostServiceDomainsBody;
    reply: PostServiceDomainsReply;
  };
  'DELETE /api/services/:serviceId/domains/:domainId': {
    reply: DeleteServiceDomainReply;
  };
  'POST /api/services/:serviceId/domains/:domainId/dns-records': {
    body: PostServiceDomainDnsRecordsBody;
    reply: PostServiceDomainDnsRecordsReply;
  };
  'GET /api/services/:serviceId/domains/:domainId/certificate': {
    reply: GetServiceDomainCertificateReply;
  };
  'PUT /api/services/:serviceId/domains/:domainId/certificate': {
    body: PutServiceDomainCertificateBody;
    reply: PutServiceDomainCertificateReply;
  };
  'DELETE /api/services/:serviceId/domains/:domainId/certificate': {
    reply: DeleteServiceDomainCertificateReply;
  };
  'GET /api/services/:serviceId/traffic-rules': {
    reply: GetServiceTrafficRulesReply;
  };
  'PUT /api/services/:serviceId/traffic-rules': {
    body: PutServiceTrafficRulesBody;
    reply: PutServiceTrafficRulesReply;
  };
  'POST /api/services/:serviceId/deployments': {
    body: PostServiceDeploymentsBody;
    reply: PostServiceDeploymentsReply;
  };
  'GET /api/services/:serviceId/deployments': {
    query: {
      limit?: number;
      cursor?: string;
      before?: string;
    };
    reply: GetServiceDeploymentsReply;
  };
  'GET /api/deployments/:deploymentId': {
    query: {
      wait?: number;
    };
    reply: GetDeploymentReply;
  };
  'POST /api/deployments/:deploymentId/abort': {
    reply: PostDeploymentAbortReply;
  };
  'POST /api/deployments/:deploymentId/rollback': {
    reply: PostServiceDeploymentsReply;
  };
  'GET /api/deployments/:deploymentId/logs': {
    query: {
      after?: number;
      limit?: number;
    };
    reply: GetDeploymentLogsReply;
  };
  'GET /api/deployments/:deploymentId/stream': {
    stream: 'text/event-stream';
    event: LogEvent;
  };
  'POST /api/deployments/:deploymentId/explain-failure': {
    body: PostDeploymentExplainFailureBody;
    reply: PostDeploymentExplainFailureReply;
  };
  'GET /api/deployments/:deploymentId/comparison': {
    query: {
      with?: string;
    };
    reply: GetDeploymentComparisonReply;
  };
  'POST /api/services/:serviceId/restart': {
    reply: PostServiceRestartReply;
  };
  'POST /api/services/:serviceId/stop': {
    reply: PostServiceStopReply;
  };
  'POST /api/services/:serviceId/start': {
    reply: PostServiceRestartReply;
  };
  'GET /api/services/:serviceId/image-update': {
    reply: GetServiceImageUpdateReply;
  };
  'POST /api/services/:serviceId/uploads': {
    body: PostServiceUploadsBody;
    reply: PostServiceUploadsReply;
  };
  'GET /api/services/:serviceId/uploads': {
    reply: GetServiceUploadsReply;
  };
  'GET /api/services/:serviceId/uploads/:uploadId': {
    reply: GetServiceUploadReply;
  };
  'PUT /api/services/:serviceId/uploads/:uploadId': {
    query: {
      part: string;
    };
    bytes: true;
    reply: PutServiceUploadReply;
  };
  'DELETE /api/services/:serviceId/uploads/:uploadId': {
    reply: PutServiceUploadReply;
  };
  'POST /api/services/:serviceId/run': {
    body: PostServiceRunBody;
    reply: PostServiceRunReply;
  };
  'GET /api/services/:serviceId/runs': {
    query: {
      limit?: number;
      cursor?: string;
    };
    reply: GetServiceRunsReply;
  };
  'GET /api/services/:serviceId/runs/:runId': {
    reply: PostServiceRunReply;
  };
  'POST /api/services/:serviceId/runs/:runId/abort': {
    reply: PostServiceRunAbortReply;
  };
  'GET /api/services/:serviceId/runs/:runId/logs': {
    query: {
      after?: number;
      limit?: number;
    };
    reply: GetServiceRunLogsReply;
  };
  'GET /api/services/:serviceId/runs/:runId/stream': {
    stream: 'text/event-stream';
    event: LogEvent;
  };
  'POST /api/services/:serviceId/runs/:runId/explain-failure': {
    body: PostDeploymentExplainFailureBody;
    reply: PostDeploymentExplainFailureReply;
  };
  'GET /api/services/:serviceId/schedules': {
    reply: GetServiceSchedulesReply;
  };
  'POST /api/services/:serviceId/schedules': {
    body: PostServiceSchedulesBody;
    reply: PostServiceSchedulesReply;
  };
  'GET /api/services/:serviceId/schedules/:scheduleId': {
    reply: PostServiceSchedulesReply;
  };
  'PATCH /api/services/:serviceId/schedules/:scheduleId': {
    body: PatchServiceScheduleBody;
    reply: PostServiceSchedulesReply;
  };
  'DELETE /api/services/:serviceId/schedules/:scheduleId': {
    reply: DeleteServiceScheduleReply;
  };
  'POST /api/services/:serviceId/schedules/:scheduleId/run': {
    reply: PostServiceScheduleRunReply;
  };
  'GET /api/services/:serviceId/schedules/:scheduleId/occurrences': {
    query: {
      limit?: number;
      cursor?: string;
    };
    reply: GetServiceScheduleOccurrencesReply;
  };
  'GET /api/schedule-preview': {
    query: {
      /**
       * Minute, hour, day of the month, month, day of the week.
       */
      cron: string;
      /**
       * IANA time zone of `cron`.
       */
      timeZone?: string;
    };
    reply: GetSchedulePreviewReply;
  };
  'POST /api/services/:serviceId/shells': {
    body: PostServiceShellsBody;
    reply: PostServiceShellsReply;
  };
  'GET /api/shells/connect': {
    query: {
      shell: string;
    };
    stream: 'application/octet-stream';
  };
  'POST /api/services/:serviceId/webhook': {
    reply: PostServiceWebhookReply;
  };
  'GET /api/services/:serviceId/webhook': {
    reply: GetServiceWebhookReply;
  };
  'DELETE /api/services/:serviceId/webhook': {
    reply: DeleteServiceWebhookReply;
  };
  'GET /api/services/:serviceId/awaited-push': {
    reply: GetServiceAwaitedPushReply;
  };
  'DELETE /api/services/:serviceId/awaited-push': {
    reply: DeleteServiceAwaitedPushReply;
  };
  'GET /api/changes/stream': {
    query: {
      /**
       * Only this project; absent: all that the key sees.
       */
      projectId?: string;
    };
    stream: 'text/event-stream';
    event: ChangeEvent;
  };
  'GET /api/services/:serviceId/metrics': {
    query: {
      /**
       * Begin, as a UTC time; absent: an hour before `to`.
       */
      from?: string;
      /**
       * End; absent: now.
       */
      to?: string;
      /**
       * Seconds of each step, a multiple of 10, or of 300 from there on; absent: chosen by the length of the time.
       */
      step?: number;
      /**
       * Names with commas between them, of cpu, memory, networkIn, networkOut, diskRead, diskWrite, diskUsed, requests, errors, status2xx, status3xx, status4xx, latencyP50, latencyP95, latencyP99, connections, restarts, outOfMemory; absent: all.
       */
      series?: string;
    };
    reply: GetServiceMetricsReply;
  };
  'GET /api/metrics': {
    query: {
      /**
       * Only this project; absent: all that the key sees.
       */
      projectId?: string;
      /**
       * Begin, as a UTC time; absent: an hour before `to`.
       */
      from?: string;
      /**
       * End; absent: now.
       */
      to?: string;
      /**
       * Seconds of each step, a multiple of 10, or of 300 from there on; absent: chosen by the length of the time.
       */
      step?: number;
      /**
       * Names with commas between them, of cpu, memory, networkIn, networkOut, diskRead, diskWrite, diskUsed, requests, errors, status2xx, status3xx, status4xx, latencyP50, latencyP95, latencyP99, connections, restarts, outOfMemory; absent: requests,errors.
       */
      series?: string;
    };
    reply: GetMetricsReply;
  };
  'GET /api/services/:serviceId/runtime-logs/stream': {
    stream: 'text/event-stream';
    event: RuntimeLogEvent;
  };
  'GET /api/services/:serviceId/runtime-logs': {
    query: {
      /**
       * Words that a line contains, `"phrases"`, `-not`, `level:error,warn`, `service:web`, fields such as `status:>=500`, and `OR` (docs/guide/logs.md).
       */
      query?: string;
      /**
       * Only lines that contain this text, exactly.
       */
      text?: string;
      /**
       * Only lines in which this regular expression is found, in the syntax of RE2: `(?i)timeout|refused`.
       */
      regex?: string;
      /**
       * Only lines of this level and of more severe ones. It is read from JSON, logfmt and common formats.
       */
      level?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
      /**
       * Only lines of this deployment.
       */
      deploymentId?: string;
      /**
       * Only what the app and the platform print, or only requests; absent: both.
       */
      source?: 'app' | 'access';
      /**
       * Only lines from this time on.
       */
      since?: string;
      /**
       * Only lines before this time.
       */
      until?: string;
      /**
       * Which lines come first.
       */
      order?: 'newest' | 'oldest';
      limit?: number;
      /**
       * `nextCursor` of the page before, with the same other parameters.
       */
      cursor?: string;
    };
    reply: GetServiceRuntimeLogsReply;
  };
  'GET /api/services/:serviceId/runtime-logs/histogram': {
    query: {
      /**
       * Words that a line contains, `"phrases"`, `-not`, `level:error,warn`, `service:web`, fields such as `status:>=500`, and `OR` (docs/guide/logs.md).
       */
      query?: string;
      /**
       * Only lines that contain this text, exactly.
       */
      text?: string;
      /**
       * Only lines in which this regular expression is found, in the syntax of RE2: `(?i)timeout|refused`.
       */
      regex?: string;
      /**
       * Only lines of this level and of more severe ones. It is read from JSON, logfmt and common formats.
       */
      level?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
      /**
       * Only lines of this deployment.
       */
      deploymentId?: string;
      /**
       * Only what the app and the platform print, or only requests; absent: both.
       */
      source?: 'app' | 'access';
      /**
       * Begin of the range; absent: an hour before its end.
       */
      since?: string;
      /**
       * End of the range; absent: now.
       */
      until?: string;
      /**
       * Number of equal parts of the range.
       */
      buckets?: number;
      /**
       * `nextCursor` of the page before, with the same other parameters.
       */
      cursor?: string;
    };
    reply: GetServiceRuntimeLogsHistogramReply;
  };
  'GET /api/services/:serviceId/runtime-logs/around': {
    query: {
      /**
       * Id of a line. Its neighbours are answered, whatever they contain. Absent: now.
       */
      line?: string;
      /**
       * Number of lines before it.
       */
      before?: number;
      /**
       * Number of lines after it.
       */
      after?: number;
      /**
       * Only what the app and the platform print, or only requests; absent: both.
       */
      source?: 'app' | 'access';
    };
    reply: GetServiceRuntimeLogsAroundReply;
  };
  'GET /api/services/:serviceId/runtime-logs/follow': {
    query: {
      /**
       * Words that a line contains, `"phrases"`, `-not`, `level:error,warn`, `service:web`, fields such as `status:>=500`, and `OR` (docs/guide/logs.md).
       */
      query?: string;
      /**
       * Only lines that contain this text, exactly.
       */
      text?: string;
      /**
       * Only lines in which this regular expression is found, in the syntax of RE2: `(?i)timeout|refused`.
       */
      regex?: string;
      /**
       * Only lines of this level and of more severe ones. It is read from JSON, logfmt and common formats.
       */
      level?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
      /**
       * Only lines of this deployment.
       */
      deploymentId?: string;
      /**
       * Only what the app and the platform print, or only requests; absent: both.
       */
      source?: 'app' | 'access';
      /**
       * Lines of the past that come first.
       */
      lines?: number;
    };
    stream: 'text/event-stream';
    event: KeptLogEvent;
  };
  'GET /api/projects/:projectId/runtime-logs': {
    query: {
      /**
       * Words that a line contains, `"phrases"`, `-not`, `level:error,warn`, `service:web`, fields such as `status:>=500`, and `OR` (docs/guide/logs.md).
       */
      query?: string;
      /**
       * Only lines that contain this text, exactly.
       */
      text?: string;
      /**
       * Only lines in which this regular expression is found, in the syntax of RE2: `(?i)timeout|refused`.
       */
      regex?: string;
      /**
       * Only lines of this level and of more severe ones. It is read from JSON, logfmt and common formats.
       */
      level?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
      /**
       * Only lines of this deployment.
       */
      deploymentId?: string;
      /**
       * Only what the app and the platform print, or only requests; absent: both.
       */
      source?: 'app' | 'access';
      /**
       * Only lines from this time on.
       */
      since?: string;
      /**
       * Only lines before this time.
       */
      until?: string;
      /**
       * Which lines come first.
       */
      order?: 'newest' | 'oldest';
      limit?: number;
      /**
       * `nextCursor` of the page before, with the same other parameters.
       */
      cursor?: string;
      /**
       * Ids or slugs of services, with commas between them; absent: all services, at most 20.
       */
      services?: string;
    };
    reply: GetServiceRuntimeLogsReply;
  };
  'GET /api/projects/:projectId/runtime-logs/histogram': {
    query: {
      /**
       * Words that a line contains, `"phrases"`, `-not`, `level:error,warn`, `service:web`, fields such as `status:>=500`, and `OR` (docs/guide/logs.md).
       */
      query?: string;
      /**
       * Only lines that contain this text, exactly.
       */
      text?: string;
      /**
       * Only lines in which this regular expression is found, in the syntax of RE2: `(?i)timeout|refused`.
       */
      regex?: string;
      /**
       * Only lines of this level and of more severe ones. It is read from JSON, logfmt and common formats.
       */
      level?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
      /**
       * Only lines of this deployment.
       */
      deploymentId?: string;
      /**
       * Only what the app and the platform print, or only requests; absent: both.
       */
      source?: 'app' | 'access';
      /**
       * Begin of the range; absent: an hour before its end.
       */
      since?: string;
      /**
       * End of the range; absent: now.
       */
      until?: string;
      /**
       * Number of equal parts of the range.
       */
      buckets?: number;
      /**
       * `nextCursor` of the page before, with the same other parameters.
       */
      cursor?: string;
      /**
       * Ids or slugs of services, with commas between them; absent: all services, at most 20.
       */
      services?: string;
    };
    reply: GetServiceRuntimeLogsHistogramReply;
  };
  'GET /api/projects/:projectId/runtime-logs/follow': {
    query: {
      /**
       * Words that a line contains, `"phrases"`, `-not`, `level:error,warn`, `service:web`, fields such as `status:>=500`, and `OR` (docs/guide/logs.md).
       */
      query?: string;
      /**
       * Only lines that contain this text, exactly.
       */
      text?: string;
      /**
       * Only lines in which this regular expression is found, in the syntax of RE2: `(?i)timeout|refused`.
       */
      regex?: string;
      /**
       * Only lines of this level and of more severe ones. It is read from JSON, logfmt and common formats.
       */
      level?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
      /**
       * Only lines of this deployment.
       */
      deploymentId?: string;
      /**
       * Only what the app and the platform print, or only requests; absent: both.
       */
      source?: 'app' | 'access';
      /**
       * Lines of the past that come first.
       */
      lines?: number;
      /**
       * Ids or slugs of services, with commas between them; absent: all services, at most 20.
       */
      services?: string;
    };
    stream: 'text/event-stream';
    event: KeptLogEvent;
  };
  'GET /api/services/:serviceId/requests': {
    query: {
      /**
       * Only this method.
       */
      method?: string;
      /**
       * Only paths that begin with this.
       */
      path?: string;
      /**
       * Only this status, such as 404, or this class, such as 5xx.
       */
      status?: string;
      /**
       * Only requests that took at least so many milliseconds.
       */
      slowerThanMs?: number;
      /**
       * Only lines from this time on.
       */
      since?: string;
      /**
       * Only lines before this time.
       */
      until?: string;
      /**
       * Which lines come first.
       */
      order?: 'newest' | 'oldest';
      limit?: number;
      /**
       * `nextCursor` of the page before, with the same other parameters.
       */
      cursor?: string;
    };
    reply: GetServiceRequestsReply;
  };
  'GET /api/projects/:projectId/log-drains': {
    reply: GetProjectLogDrainsReply;
  };
  'POST /api/projects/:projectId/log-drains': {
    body: PostProjectLogDrainsBody;
    reply: PostProjectLogDrainsReply;
  };
  'PATCH /api/log-drains/:logDrainId': {
    body: PatchLogDrainBody;
    reply: PostProjectLogDrainsReply;
  };
  'DELETE /api/log-drains/:logDrainId': {
    reply: DeleteLogDrainReply;
  };
  'GET /api/log-drains/:logDrainId/status': {
    reply: GetLogDrainStatusReply;
  };
  'POST /api/log-drains/:logDrainId/test': {
    reply: PostLogDrainTestReply;
  };
  'POST /api/services/:serviceId/explain-crash': {
    body: PostDeploymentExplainFailureBody;
    reply: PostDeploymentExplainFailureReply;
  };
  'GET /api/services/:serviceId/database/tables': {
    query: {
      database?: number;
      cursor?: string;
      match?: string;
    };
    reply: GetServiceDatabaseTablesReply;
  };
  'GET /api/services/:serviceId/database/rows': {
    query: {
      /**
       * Id of the table, as the list of tables has it.
       */
      table: string;
      limit?: number;
      offset?: number;
      database?: number;
    };
    reply: GetServiceDatabaseRowsReply;
  };
  'POST /api/services/:serviceId/database/query': {
    body: PostServiceDatabaseQueryBody;
    reply: PostServiceDatabaseQueryReply;
  };
  'POST /api/services/:serviceId/database/rows': {
    body: PostServiceDatabaseRowsBody;
    reply: PostServiceDatabaseRowsReply;
  };
  'PATCH /api/services/:serviceId/database/rows': {
    body: PatchServiceDatabaseRowsBody;
    reply: PatchServiceDatabaseRowsReply;
  };
  'DELETE /api/services/:serviceId/database/rows': {
    body: DeleteServiceDatabaseRowsBody;
    reply: PatchServiceDatabaseRowsReply;
  };
  'GET /api/services/:serviceId/database/tls': {
    reply: GetServiceDatabaseTlsReply;
  };
  'GET /api/services/:serviceId/database/tls/ca': {
    stream: 'application/x-pem-file';
  };
  'GET /api/services/:serviceId/database/upgrades': {
    query: {
      limit?: number;
      cursor?: string;
    };
    reply: GetServiceDatabaseUpgradesReply;
  };
  'POST /api/services/:serviceId/database/upgrade': {
    body: PostServiceDatabaseUpgradeBody;
    reply: PostServiceDatabaseUpgradeReply;
  };
  'POST /api/services/:serviceId/database/upgrade/undo': {
    reply: PostServiceDatabaseUpgradeReply;
  };
  'POST /api/services/:serviceId/database/upgrade/abort': {
    reply: PostServiceDatabaseUpgradeAbortReply;
  };
  'GET /api/services/:serviceId/database/backups': {
    query: {
      limit?: number;
      cursor?: string;
    };
    reply: GetServiceDatabaseBackupsReply;
  };
  'POST /api/services/:serviceId/database/backups': {
    body: PostServiceDatabaseBackupsBody;
    reply: PostServiceDatabaseBackupsReply;
  };
  'PATCH /api/services/:serviceId/database/backups/settings': {
    body: PatchServiceDatabaseBackupsSettingsBody;
    reply: PatchServiceDatabaseBackupsSettingsReply;
  };
  'POST /api/services/:serviceId/database/backups/:backupId/restore': {
    body: PostServiceDatabaseBackupRestoreBody;
    reply: PostServiceDatabaseBackupRestoreReply;
  };
  'POST /api/services/:serviceId/database/backups/:backupId/restore/abort': {
    reply: PostServiceDatabaseBackupRestoreAbortReply;
  };
  'GET /api/services/:serviceId/database/backups/:backupId/download': {
    query: {
      stored?: 'true' | 'false';
    };
    stream: 'application/octet-stream';
  };
  'POST /api/services/:serviceId/database/backups/:backupId/abort': {
    reply: PostServiceDatabaseBackupAbortReply;
  };
  'POST /api/services/:serviceId/database/backups/:backupId/prove': {
    reply: PostServiceDatabaseBackupProveReply;
  };
  'POST /api/services/:serviceId/database/backups/:backupId/prove/abort': {
    reply: PostServiceDatabaseBackupProveAbortReply;
  };
  'DELETE /api/services/:serviceId/database/backups/:backupId': {
    reply: DeleteServiceDatabaseBackupReply;
  };
  'GET /api/backup-keys': {
    query: {
      limit?: number;
      cursor?: string;
    };
    reply: GetBackupKeysReply;
  };
  'POST /api/backup-keys': {
    reply: PostBackupKeysReply;
  };
  'DELETE /api/backup-keys/:backupKeyId': {
    reply: DeleteBackupKeyReply;
  };
  'GET /api/services/:serviceId/database/imports': {
    query: {
      limit?: number;
      cursor?: string;
    };
    reply: GetServiceDatabaseImportsReply;
  };
  'POST /api/services/:serviceId/database/import/postgres-url': {
    body: PostServiceDatabaseImportPostgresUrlBody;
    reply: PostServiceDatabaseImportPostgresUrlReply;
  };
  'POST /api/services/:serviceId/database/import/mysql-url': {
    body: PostServiceDatabaseImportMysqlUrlBody;
    reply: PostServiceDatabaseImportMysqlUrlReply;
  };
  'POST /api/services/:serviceId/database/import/redis-url': {
    body: PostServiceDatabaseImportRedisUrlBody;
    reply: PostServiceDatabaseImportRedisUrlReply;
  };
  'POST /api/services/:serviceId/database/import/mongodb-url': {
    body: PostServiceDatabaseImportMongodbUrlBody;
    reply: PostServiceDatabaseImportMongodbUrlReply;
  };
  'POST /api/services/:serviceId/database/import/clickhouse-url': {
    body: PostServiceDatabaseImportClickhouseUrlBody;
    reply: PostServiceDatabaseImportClickhouseUrlReply;
  };
  'POST /api/services/:serviceId/database/imports/:importId/abort': {
    reply: PostServiceDatabaseImportAbortReply;
  };
  'POST /api/services/:serviceId/database/uploads': {
    body: PostServiceDatabaseUploadsBody;
    reply: PostServiceDatabaseUploadsReply;
  };
  'GET /api/services/:serviceId/database/uploads': {
    reply: GetServiceDatabaseUploadsReply;
  };
  'GET /api/services/:serviceId/database/uploads/:uploadId': {
    reply: GetServiceDatabaseUploadReply;
  };
  'PUT /api/services/:serviceId/database/uploads/:uploadId': {
    query: {
      part: string;
    };
    bytes: true;
    reply: PutServiceDatabaseUploadReply;
  };
  'DELETE /api/services/:serviceId/database/uploads/:uploadId': {
    reply: PutServiceDatabaseUploadReply;
  };
  'POST /api/services/:serviceId/database/import/file': {
    body: PostServiceDatabaseImportFileBody;
    reply: PostServiceDatabaseImportFileReply;
  };
  'PUT /api/services/:serviceId/database/import/file': {
    query: {
      replace?: 'true' | 'false';
      continueOnError?: 'true' | 'false';
      checksum?: string;
    };
    bytes: true;
    reply: PutServiceDatabaseImportFileReply;
  };
  'GET /api/deleted': {
    query: {
      limit?: number;
      cursor?: string;
    };
    reply: GetDeletedReply;
  };
  'POST /api/services/:serviceId/restore': {
    reply: PostServiceRestoreReply;
  };
  'POST /api/projects/:projectId/restore': {
    reply: PostProjectRestoreReply;
  };
  'POST /api/services/:serviceId/database/backups/:backupId/undelete': {
    reply: PostServiceDatabaseBackupUndeleteReply;
  };
  'GET /api/registries': {
    query: {
      limit?: number;
      cursor?: string;
    };
    reply: GetRegistriesReply;
  };
  'POST /api/registries': {
    body: PostRegistriesBody;
    reply: PostRegistriesReply;
  };
  'PATCH /api/registries/:registryId': {
    body: PatchRegistryBody;
    reply: PostRegistriesReply;
  };
  'DELETE /api/registries/:registryId': {
    reply: DeleteRegistryReply;
  };
  'GET /api/git-credentials': {
    query: {
      limit?: number;
      cursor?: string;
    };
    reply: GetGitCredentialsReply;
  };
  'POST /api/git-credentials': {
    body: PostGitCredentialsBody;
    reply: PostGitCredentialsReply;
  };
  'PATCH /api/git-credentials/:gitCredentialId': {
    body: PatchGitCredentialBody;
    reply: PostGitCredentialsReply;
  };
  'DELETE /api/git-credentials/:gitCredentialId': {
    reply: DeleteGitCredentialReply;
  };
  'GET /api/github-apps': {
    query: {
      limit?: number;
      cursor?: string;
    };
    reply: GetGithubAppsReply;
  };
  'POST /api/github-apps': {
    body: PostGithubAppsBody;
    reply: PostGithubAppsReply;
  };
  'PATCH /api/github-apps/:githubAppId': {
    body: PatchGithubAppBody;
    reply: PatchGithubAppReply;
  };
  'DELETE /api/github-apps/:githubAppId': {
    reply: DeleteGithubAppReply;
  };
  'GET /api/github-apps/:githubAppId/installations': {
    reply: GetGithubAppInstallationsReply;
  };
  'GET /api/github-apps/:githubAppId/repositories': {
    query: {
      /**
       * Id of the installation; absent: the first one. A private app has only one.
       */
      installationId?: number;
      /**
       * Page, from 1.
       */
      page?: number;
    };
    reply: GetGithubAppRepositoriesReply;
  };
  'GET /api/notification-channels': {
    reply: GetNotificationChannelsReply;
  };
  'POST /api/notification-channels': {
    body: PostNotificationChannelsBody;
    reply: PostNotificationChannelsReply;
  };
  'PATCH /api/notification-channels/:channelId': {
    body: PatchNotificationChannelBody;
    reply: PostNotificationChannelsReply;
  };
  'DELETE /api/notification-channels/:channelId': {
    reply: DeleteNotificationChannelReply;
  };
  'POST /api/notification-channels/:channelId/test': {
    reply: PostNotificationChannelTestReply;
  };
  'GET /api/notification-channels/:channelId/notifications': {
    query: {
      limit?: number;
    };
    reply: GetNotificationChannelNotificationsReply;
  };
  'GET /api/attention': {
    query: {
      /**
       * Only this project; absent: all that the key sees.
       */
      projectId?: string;
      /**
       * Only this service.
       */
      serviceId?: string;
    };
    reply: GetAttentionReply;
  };
  'GET /api/alerts': {
    query: {
      limit?: number;
      cursor?: string;
      /**
       * Only these; absent: all of the last 30 days.
       */
      state?: 'open' | 'resolved';
      /**
       * Only those about this service.
       */
      serviceId?: string;
    };
    reply: GetAlertsReply;
  };
  'PATCH /api/alerts/:alertId': {
    body: PatchAlertBody;
    reply: PatchAlertReply;
  };
  'GET /api/projects/:projectId/alert-rules': {
    reply: GetProjectAlertRulesReply;
  };
  'POST /api/projects/:projectId/alert-rules': {
    body: PostProjectAlertRulesBody;
    reply: PostProjectAlertRulesReply;
  };
  'PATCH /api/alert-rules/:ruleId': {
    body: PatchAlertRuleBody;
    reply: PostProjectAlertRulesReply;
  };
  'DELETE /api/alert-rules/:ruleId': {
    reply: DeleteAlertRuleReply;
  };
  'PATCH /api/projects/:projectId/default-alerts': {
    body: PatchProjectDefaultAlertsBody;
    reply: PatchProjectDefaultAlertsReply;
  };
  'GET /api/key': {
    reply: GetKeyReply;
  };
  'GET /api/keys': {
    query: {
      limit?: number;
      cursor?: string;
    };
    reply: GetKeysReply;
  };
  'POST /api/keys': {
    body: PostKeysBody;
    reply: PostKeysReply;
  };
  'DELETE /api/keys/:keyId': {
    reply: DeleteKeyReply;
  };
  'GET /api/projects/:projectId/trust-policies': {
    reply: GetProjectTrustPoliciesReply;
  };
  'POST /api/projects/:projectId/trust-policies': {
    body: PostProjectTrustPoliciesBody;
    reply: PostProjectTrustPoliciesReply;
  };
  'PATCH /api/trust-policies/:trustPolicyId': {
    body: PatchTrustPolicyBody;
    reply: PostProjectTrustPoliciesReply;
  };
  'DELETE /api/trust-policies/:trustPolicyId': {
    reply: DeleteTrustPolicyReply;
  };
  'POST /api/keys/exchange': {
    body: PostKeysExchangeBody;
    reply: PostKeysReply;
  };
  'POST /api/sessions': {
    body: PostSessionsBody;
    reply: PostSessionsReply;
  };
  'GET /api/sign-in-link': {
    reply: GetSignInLinkReply;
  };
  'GET /api/sessions': {
    reply: GetSessionsReply;
  };
  'DELETE /api/sessions/:sessionId': {
    reply: DeleteSessionReply;
  };
  'POST /api/sign-in-links': {
    reply: PostSignInLinksReply;
  };
  'GET /api/sign-in': {
    reply: GetSignInReply;
  };
  'POST /api/sign-in/oidc': {
    body: PostSignInOidcBody;
    reply: PostSignInOidcReply;
  };
  'POST /api/sign-in/oidc/finish': {
    body: PostSignInOidcFinishBody;
    reply: PostSignInOidcFinishReply;
  };
  'POST /api/sign-in/access': {
    body: PostSignInOidcBody;
    reply: PostSignInOidcFinishReply;
  };
  'POST /api/sign-in/passkey': {
    reply: PostSignInPasskeyReply;
  };
  'POST /api/sign-in/passkey/finish': {
    body: PostSignInPasskeyFinishBody;
    reply: PostSignInOidcFinishReply;
  };
  'POST /api/sign-in/device': {
    body: PostSignInDeviceBody;
    reply: PostSignInDeviceReply;
  };
  'POST /api/sign-in/device/exchange': {
    body: PostSignInDeviceExchangeBody;
    reply: PostSignInDeviceExchangeReply;
  };
  'POST /api/sign-in/device/find': {
    body: PostSignInDeviceFindBody;
    reply: PostSignInDeviceFindReply;
  };
  'POST /api/sign-in/device/allow': {
    body: PostSignInDeviceFindBody;
    reply: PostSignInDeviceAllowReply;
  };
  'POST /api/sign-in/device/deny': {
    body: PostSignInDeviceFindBody;
    reply: PostSignInDeviceDenyReply;
  };
  'GET /api/passkeys': {
    reply: GetPasskeysReply;
  };
  'POST /api/passkeys/options': {
    reply: PostPasskeysOptionsReply;
  };
  'POST /api/passkeys': {
    body: PostPasskeysBody;
    reply: PostPasskeysReply;
  };
  'PATCH /api/passkeys/:passkeyId': {
    body: PatchPasskeyBody;
    reply: PostPasskeysReply;
  };
  'DELETE /api/passkeys/:passkeyId': {
    reply: DeletePasskeyReply;
  };
  'GET /api/identities': {
    reply: GetIdentitiesReply;
  };
  'POST /api/identities/attempts': {
    body: PostIdentitiesAttemptsBody;
    reply: PostIdentitiesAttemptsReply;
  };
  'POST /api/identities': {
    body: PostSignInOidcFinishBody;
    reply: PostIdentitiesReply;
  };
  'POST /api/identities/access': {
    body: PostIdentitiesAttemptsBody;
    reply: PostIdentitiesReply;
  };
  'DELETE /api/identities/:identityId': {
    reply: DeleteIdentityReply;
  };
  'GET /api/members': {
    query: {
      limit?: number;
      cursor?: string;
    };
    reply: GetMembersReply;
  };
  'POST /api/members': {
    body: PostMembersBody;
    reply: PostMembersReply;
  };
  'PATCH /api/members/:memberId': {
    body: PatchMemberBody;
    reply: PatchMemberReply;
  };
  'DELETE /api/members/:memberId': {
    reply: DeleteMemberReply;
  };
  'POST /api/members/:memberId/links': {
    reply: PostMemberLinksReply;
  };
  'DELETE /api/membership': {
    reply: DeleteMembershipReply;
  };
  'GET /api/audit': {
    query: {
      /**
       * Only entries of this member, key or session, and of the sessions that act for it.
       */
      actor?: string;
      status?: number;
      since?: string;
      until?: string;
      limit?: number;
      cursor?: string;
      before?: string;
    };
    reply: GetAuditReply;
  };
  'GET /api/system/keys': {
    query: {
      limit?: number;
      cursor?: string;
    };
    reply: GetSystemKeysReply;
  };
  'POST /api/system/keys': {
    body: PostSystemKeysBody;
    reply: PostKeysReply;
  };
  'POST /api/system/keys/:keyId/rotate': {
    body: PostSystemKeyRotateBody;
    reply: PostKeysReply;
  };
  'DELETE /api/system/keys/:keyId': {
    reply: DeleteSystemKeyReply;
  };
  'GET /api/system/keys/:keyId/sessions': {
    reply: GetSessionsReply;
  };
  'DELETE /api/system/sessions/:sessionId': {
    reply: DeleteSessionReply;
  };
  'POST /api/system/sessions': {
    body: PostSystemSessionsBody;
    reply: PostSystemSessionsReply;
  };
  'GET /api/system/sessions': {
    reply: GetSystemSessionsReply;
  };
  'POST /api/system/sign-in-links': {
    reply: PostSystemSignInLinksReply;
  };
  'GET /api/system/runners': {
    query: {
      limit?: number;
      cursor?: string;
    };
    reply: GetSystemRunnersReply;
  };
  'POST /api/system/runners': {
    body: PostSystemRunnersBody;
    reply: PostSystemRunnersReply;
  };
  'PATCH /api/system/runners/:runnerId': {
    body: PatchSystemRunnerBody;
    reply: PatchSystemRunnerReply;
  };
  'POST /api/system/runners/:runnerId/upgrade': {
    reply: PostSystemRunnerUpgradeReply;
  };
  'GET /api/system/upgrades': {
    reply: GetSystemUpgradesReply;
  };
  'DELETE /api/system/runners/:runnerId': {
    reply: DeleteSystemRunnerReply;
  };
  'GET /api/system/runners/:runnerId/metrics': {
    query: {
      /**
       * Begin, as a UTC time; absent: an hour before `to`.
       */
      from?: string;
      /**
       * End; absent: now.
       */
      to?: string;
      /**
       * Seconds of each step, a multiple of 10, or of 300 from there on; absent: chosen by the length of the time.
       */
      step?: number;
      /**
       * Names with commas between them, of cpu, memory, networkIn, networkOut, diskRead, diskWrite, diskUsed, requests, errors, status2xx, status3xx, status4xx, latencyP50, latencyP95, latencyP99, connections, restarts, outOfMemory; absent: all.
       */
      series?: string;
    };
    reply: GetSystemRunnerMetricsReply;
  };
  'GET /api/system/ai-providers': {
    reply: GetSystemAiProvidersReply;
  };
  'POST /api/system/ai-providers': {
    body: PostSystemAiProvidersBody;
    reply: PostSystemAiProvidersReply;
  };
  'PATCH /api/system/ai-providers/:aiProviderId': {
    body: PatchSystemAiProviderBody;
    reply: PostSystemAiProvidersReply;
  };
  'DELETE /api/system/ai-providers/:aiProviderId': {
    reply: DeleteSystemAiProviderReply;
  };
  'POST /api/system/ai-providers/:aiProviderId/test': {
    reply: PostSystemAiProviderTestReply;
  };
  'GET /api/system/tenants': {
    query: {
      limit?: number;
      cursor?: string;
    };
    reply: GetSystemTenantsReply;
  };
  'POST /api/system/tenants': {
    body: PostSystemTenantsBody;
    reply: PostSystemTenantsReply;
  };
  'PATCH /api/system/tenants/:tenantId': {
    body: PatchSystemTenantBody;
    reply: PostSystemTenantsReply;
  };
  'DELETE /api/system/tenants/:tenantId': {
    reply: DeleteSystemTenantReply;
  };
  'GET /api/system/tenants/:tenantId/data-keys': {
    reply: GetSystemTenantDataKeysReply;
  };
  'POST /api/system/tenants/:tenantId/data-keys': {
    reply: GetSystemTenantDataKeysReply;
  };
  'GET /api/system/tenants/:tenantId/members': {
    query: {
      limit?: number;
      cursor?: string;
    };
    reply: GetMembersReply;
  };
  'POST /api/system/tenants/:tenantId/members': {
    body: PostMembersBody;
    reply: PostMembersReply;
  };
  'PATCH /api/system/members/:memberId': {
    body: PatchMemberBody;
    reply: PatchMemberReply;
  };
  'DELETE /api/system/members/:memberId': {
    reply: DeleteSystemMemberReply;
  };
  'POST /api/system/members/:memberId/links': {
    reply: PostMemberLinksReply;
  };
  'GET /api/system/identity-providers': {
    reply: GetSystemIdentityProvidersReply;
  };
  'POST /api/system/identity-providers': {
    body: PostSystemIdentityProvidersBody;
    reply: PostSystemIdentityProvidersReply;
  };
  'PATCH /api/system/identity-providers/:identityProviderId': {
    body: PatchSystemIdentityProviderBody;
    reply: PostSystemIdentityProvidersReply;
  };
  'DELETE /api/system/identity-providers/:identityProviderId': {
    reply: DeleteSystemIdentityProviderReply;
  };
  'POST /api/system/identity-providers/:identityProviderId/test': {
    reply: PostSystemIdentityProviderTestReply;
  };
  'GET /api/system/deleted': {
    query: {
      limit?: number;
      cursor?: string;
    };
    reply: GetSystemDeletedReply;
  };
  'POST /api/system/deleted/:resourceId/purge': {
    reply: PostSystemDeletedPurgeReply;
  };
  'PATCH /api/system/services/:serviceId': {
    body: PatchSystemServiceBody;
    reply: PatchSystemServiceReply;
  };
  'GET /api/system/audit': {
    query: {
      /**
       * Only entries of this member, key or session, and of the sessions that act for it.
       */
      actor?: string;
      status?: number;
      since?: string;
      until?: string;
      limit?: number;
      cursor?: string;
      before?: string;
      tenantId?: string;
    };
    reply: GetAuditReply;
  };
  'GET /api/system/failed-sign-ins': {
    query: {
      since?: string;
      limit?: number;
      cursor?: string;
    };
    reply: GetSystemFailedSignInsReply;
  };
  'GET /api/system/settings': {
    reply: GetSystemSettingsReply;
  };
  'PATCH /api/system/settings': {
    body: PatchSystemSettingsBody;
    reply: PatchSystemSettingsReply;
  };
  'GET /api/system/encryption': {
    reply: GetSystemEncryptionReply;
  };
  'GET /api/system/costs': {
    reply: GetSystemCostsReply;
  };
  'GET /api/system/events': {
    query: {
      limit?: number;
      cursor?: string;
    };
    reply: GetSystemEventsReply;
  };
  'POST /api/system/settings/event-webhook/test': {
    reply: PostSystemSettingsEventWebhookTestReply;
  };
  'GET /api/system/alerts': {
    query: {
      limit?: number;
      cursor?: string;
      /**
       * Only these; absent: all of the last 30 days.
       */
      state?: 'open' | 'resolved';
      /**
       * Only those about this service.
       */
      serviceId?: string;
    };
    reply: GetSystemAlertsReply;
  };
  'PATCH /api/system/alerts/:alertId': {
    body: PatchAlertBody;
    reply: PatchAlertReply;
  };
  'GET /api/system/alert-rules': {
    reply: GetProjectAlertRulesReply;
  };
  'POST /api/system/alert-rules': {
    body: PostSystemAlertRulesBody;
    reply: PostProjectAlertRulesReply;
  };
  'PATCH /api/system/alert-rules/:hostRuleId': {
    body: PatchSystemAlertRuleBody;
    reply: PostProjectAlertRulesReply;
  };
  'DELETE /api/system/alert-rules/:hostRuleId': {
    reply: DeleteAlertRuleReply;
  };
  'PATCH /api/system/default-alerts': {
    body: PatchProjectDefaultAlertsBody;
    reply: PatchProjectDefaultAlertsReply;
  };
  'GET /api/system/dns-providers': {
    reply: GetSystemDnsProvidersReply;
  };
  'POST /api/system/dns-providers': {
    body: PostSystemDnsProvidersBody;
    reply: PostSystemDnsProvidersReply;
  };
  'PATCH /api/system/dns-providers/:providerId': {
    body: PatchSystemDnsProviderBody;
    reply: PostSystemDnsProvidersReply;
  };
  'DELETE /api/system/dns-providers/:providerId': {
    reply: DeleteSystemDnsProviderReply;
  };
  'GET /api/system/dumps': {
    query: {
      limit?: number;
      cursor?: string;
    };
    reply: GetSystemDumpsReply;
  };
  'POST /api/system/dumps': {
    reply: PostSystemDumpsReply;
  };
  'POST /api/system/restored': {
    reply: PostSystemRestoredReply;
  };
  'GET /api/system/strays/hosts': {
    query: {
      after?: string;
    };
    reply: GetSystemStraysHostsReply;
  };
  'GET /api/system/strays/bucket': {
    query: {
      after?: string;
    };
    reply: GetSystemStraysBucketReply;
  };
  'POST /api/system/strays/remove': {
    body: PostSystemStraysRemoveBody;
    reply: PostSystemStraysRemoveReply;
  };
}
export interface GetProjectsReply {
  /**
   * The projects that the key can see.
   */
  projects: Project[];
  /**
   * `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string;
}
export interface Project {
  /**
   * Identifier: a prefix of its kind and 16 characters. It never changes.
   */
  id: string;
  /**
   * Name, for people. It can be changed.
   */
  name: string;
  /**
   * Name in addresses, made from the first name. It never changes.
   */
  slug: string;
  /**
   * Free text, for people.
   */
  description: string;
  /**
   * State, one of a closed set.
   */
  status: 'idle' | 'building' | 'active' | 'degraded';
  /**
   * How many services the project has.
   */
  serviceCount: number;
  /**
   * When the project or one of its services last changed.
   */
  lastUpdatedAt: string;
  /**
   * The services, in order of creation.
   */
  services: Service[];
}
export interface Service {
  /**
   * Identifier: a prefix of its kind and 16 characters. It never changes.
   */
  id: string;
  /**
   * The project that it belongs to.
   */
  projectId: string;
  /**
   * Name in addresses, made from the first name. It never changes.
   */
  slug: string;
  /**
   * Name, for people. It can be changed.
   */
  name: string;
  /**
   * `<owner>/<repo>`, `image:<reference>` or `database:<engine>`: postgres, timescale, mysql, redis, mongodb, clickhouse.
   */
  repoFullName: string | null;
  /**
   * Git URL, or `container-image`, `database` or `upload`.
   */
  repoUrl: string;
  /**
   * Branch that is deployed.
   */
  branch: string;
  /**
   * Reference of a container image; of a database, the image instead of the default one.
   */
  imageRef: string | null;
  /**
   * Directory of the service in its repository; null: the root.
   */
  rootDir: string | null;
  /**
   * `web` answers HTTP, `worker` has no port, `static` serves files.
   */
  runtimeMode: 'web' | 'worker' | 'static';
  /**
   * `auto` uses a Dockerfile if there is one, else the analyzer.
   */
  buildMethod: 'auto' | 'dockerfile' | 'analyzer';
  /**
   * Path of the Dockerfile in the directory of the service; null: `Dockerfile`.
   */
  dockerfilePath: string | null;
  /**
   * Stage of the Dockerfile that is built, by its name or number; null: the last one.
   */
  buildTarget: string | null;
  /**
   * Runs once in the new image, before a new version starts; its failure keeps the old version. Null: the Procfile's `release`.
   */
  releaseCommand: string | null;
  /**
   * Command instead of the detected one; not used with a Dockerfile.
   */
  installCommand: string | null;
  /**
   * Command instead of the detected one; not used with a Dockerfile.
   */
  buildCommand: string | null;
  /**
   * Command instead of the detected one; not used with a Dockerfile.
   */
  startCommand: string | null;
  /**
   * Directory whose files are served after the build, for a static site.
   */
  staticOutput: string | null;
  /**
   * Patterns as in .gitignore, from the root of the repository: a push that changes no file they match deploys nothing; null: each push deploys.
   */
  watchPaths: string[] | null;
  /**
   * Whether a push deploys only when the checks of its commit are green at the git host. Null for other sources than a repository.
   */
  waitForChecks: boolean | null;
  /**
   * When a new digest of the tag deploys by itself: `always`, or days, times and a time zone; null: never.
   */
  imageUpdates: string | null;
  /**
   * Port on which the app listens in its container; it also gets it as PORT.
   */
  internalPort: number;
  /**
   * What the app speaks on its port: http1, or h2c, which is HTTP/2 without TLS, for gRPC. Null for databases.
   */
  protocol: ('http1' | 'h2c') | null;
  /**
   * How many containers serve it, 1 to 10; each has the limits of memory and processors.
   */
  replicas: number;
  /**
   * Minutes without a request after which its containers stop until the next one, 5 to 1,440; null: never.
   */
  sleepAfterMinutes: number | null;
  /**
   * Memory limit in megabytes, at least 16; null: none of its own.
   */
  memoryLimitMb: number | null;
  /**
   * Limit in processors, such as 0.5; null: none of its own.
   */
  cpuLimit: number | null;
  /**
   * Path that must answer with 2xx or 3xx before a version goes live; null: only its port must open.
   */
  healthCheckPath: string | null;
  /**
   * Host header of health checks; null: the name that visitors use, which is the first active domain or the generated name.
   */
  healthCheckHost: string | null;
  /**
   * Seconds between two health checks of a new version, 0.1 to 60; null: 0.02 at first, growing to 0.2.
   */
  healthCheckIntervalSeconds: number | null;
  /**
   * Seconds that one health check may take, 1 to 60; null: 5.
   */
  healthCheckTimeoutSeconds: number | null;
  /**
   * Seconds that a new version may take to its first good answer, 5 to 900; null: 60.
   */
  healthCheckStartPeriodSeconds: number | null;
  /**
   * Seconds that what is open to a version goes on after another one has taken over, 0 to 3,600. Null for databases.
   */
  drainSeconds: number | null;
  /**
   * Seconds that a version has to end after its stop signal, before it is killed, 0 to 600. Null for databases.
   */
  stopGraceSeconds: number | null;
  /**
   * The signal that asks a version to end; null: its image's own, usually SIGTERM.
   */
  stopSignal: ('SIGTERM' | 'SIGINT' | 'SIGQUIT' | 'SIGHUP' | 'SIGUSR1' | 'SIGUSR2' | 'SIGWINCH') | null;
  /**
   * Program in place of the image's own.
   */
  entrypoint: string[] | null;
  /**
   * Of a service: arguments in place of the image's own. Otherwise the command to run.
   */
  command: string[] | null;
  /**
   * User in place of the image's own.
   */
  user: string | null;
  /**
   * Size of /dev/shm in megabytes, for browsers; null: Docker's own, 64.
   */
  shmSizeMb: number | null;
  /**
   * Names that variables have in the container in place of their keys, for programs that read names in lower case.
   */
  variableNames:
    | {
        /**
         * Key of the variable.
         */
        key: string;
        /**
         * Name of the variable in the container.
         */
        name: string;
      }[]
    | null;
  /**
   * Whether its port is open on all addresses of the host; otherwise only services and the host itself reach it.
   */
  databasePublicEnabled: boolean;
  /**
   * Host name of a public database, which points to its host.
   */
  databasePublicHostname: string | null;
  /**
   * Whether PostgreSQL runs with `wal_level=logical`, as tools that copy changes need it.
   */
  postgresLogicalReplicationEnabled: boolean;
  /**
   * Settings of the database engine, by the engine's own names.
   */
  engineSettings: {
    [k: string]: string;
  };
  /**
   * The host, which POST /api/system/runners enrolled.
   */
  runnerId: string;
  /**
   * Whether it, its project and its backups are kept from deletion.
   */
  protected: boolean;
  /**
   * Whether a repository access token is stored.
   */
  hasGitHostToken: boolean;
  /**
   * What the newest deployment used; null until then.
   */
  detectedBuildMethod: ('dockerfile' | 'analyzer') | null;
  /**
   * Port on the host: on 127.0.0.1, and of a public database on all addresses.
   */
  hostPort: number;
  /**
   * The image that the next deployment of the database runs.
   */
  databaseImage: string | null;
  /**
   * State, one of a closed set.
   */
  status: 'idle' | 'queued' | 'building' | 'active' | 'failed' | 'crashed' | 'stopped';
  /**
   * Whether its port answered at the host's last look.
   */
  reachable: boolean;
  /**
   * Address on the host itself; empty for workers and databases.
   */
  localUrl: string;
  /**
   * The address to give to people.
   */
  primaryUrl: string;
  /**
   * The first active custom domain.
   */
  preferredDomain: string | null;
  /**
   * What the analyzer found; of a database, its engine.
   */
  framework: string | null;
  /**
   * Its sleep since its live version was deployed; null: it has not slept yet.
   */
  sleep: {
    /**
     * Whether its containers are stopped until the next request.
     */
    asleep: boolean;
    /**
     * When it fell asleep; null while it is awake.
     */
    asleepSince: string | null;
    /**
     * When requests last went to it again; null: it has not woken yet.
     */
    lastWokeAt: string | null;
    /**
     * How long the request that woke it waited for its containers, in milliseconds.
     */
    lastWakeMs: number | null;
  } | null;
  /**
   * When a version last went live.
   */
  lastDeployedAt: string | null;
  /**
   * When it was created.
   */
  createdAt: string;
  /**
   * When it last changed.
   */
  updatedAt: string;
}
export interface PostProjectsBody {
  /**
   * Name, for people. It can be changed.
   */
  name: string;
  /**
   * Free text, for people.
   */
  description?: string;
}
export interface PostProjectsReply {
  project: Project;
}
export interface PatchProjectBody {
  /**
   * Name, for people. It can be changed.
   */
  name?: string;
  /**
   * Free text, for people.
   */
  description?: string;
}
export interface DeleteProjectReply {
  /**
   * The change was made.
   */
  ok: true;
  /**
   * Result of a real request through the host's proxy; with `ok: false` the change still holds.
   */
  proxy: {
    /**
     * Whether it succeeded.
     */
    ok: boolean;
    /**
     * What happened or what it waits for, as a sentence.
     */
    detail: string;
  };
}
export interface GetProjectServicesReply {
  /**
   * The services, in order of creation.
   */
  services: Service[];
  /**
   * `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string;
}
export interface PostProjectServicesBody {
  /**
   * Name, for people. It can be changed.
   */
  name: string;
  /**
   * `<owner>/<repo>`, `image:<reference>` or `database:<engine>`: postgres, timescale, mysql, redis, mongodb, clickhouse.
   */
  repoFullName?: string | null;
  /**
   * Git URL, or `container-image`, `database` or `upload`.
   */
  repoUrl?: 'container-image' | 'database' | 'upload' | string;
  /**
   * Branch that is deployed.
   */
  branch?: string;
  /**
   * Reference of a container image; of a database, the image instead of the default one.
   */
  imageRef?: string | null;
  /**
   * Access token or SSH private key for the repository. Stored encrypted, never returned.
   */
  gitToken?: string | null;
  /**
   * Directory of the service in its repository; null: the root.
   */
  rootDir?: string | null;
  /**
   * `web` answers HTTP, `worker` has no port, `static` serves files.
   */
  runtimeMode?: 'web' | 'worker' | 'static';
  /**
   * `auto` uses a Dockerfile if there is one, else the analyzer.
   */
  buildMethod?: 'auto' | 'dockerfile' | 'analyzer';
  /**
   * Path of the Dockerfile in the directory of the service; null: `Dockerfile`.
   */
  dockerfilePath?: string | null;
  /**
   * Stage of the Dockerfile that is built, by its name or number; null: the last one.
   */
  buildTarget?: string | null;
  /**
   * Runs once in the new image, before a new version starts; its failure keeps the old version. Null: the Procfile's `release`.
   */
  releaseCommand?: string | null;
  /**
   * Command instead of the detected one; not used with a Dockerfile.
   */
  installCommand?: string | null;
  /**
   * Command instead of the detected one; not used with a Dockerfile.
   */
  buildCommand?: string | null;
  /**
   * Command instead of the detected one; not used with a Dockerfile.
   */
  startCommand?: string | null;
  /**
   * Directory whose files are served after the build, for a static site.
   */
  staticOutput?: string | null;
  /**
   * Patterns as in .gitignore, from the root of the repository: a push that changes no file they match deploys nothing; null: each push deploys.
   */
  watchPaths?: [string, ...string[]] | null;
  /**
   * Whether a push deploys only when the checks of its commit are green at the git host. Null for other sources than a repository.
   */
  waitForChecks?: boolean;
  /**
   * When a new digest of the tag deploys by itself: `always`, or days, times and a time zone; null: never.
   */
  imageUpdates?: string | null;
  /**
   * Port on which the app listens in its container; it also gets it as PORT.
   */
  internalPort?: number;
  /**
   * What the app speaks on its port: http1, or h2c, which is HTTP/2 without TLS, for gRPC. Null for databases.
   */
  protocol?: 'http1' | 'h2c';
  /**
   * How many containers serve it, 1 to 10; each has the limits of memory and processors.
   */
  replicas?: number;
  /**
   * Minutes without a request after which its containers stop until the next one, 5 to 1,440; null: never.
   */
  sleepAfterMinutes?: number | null;
  /**
   * Memory limit in megabytes, at least 16; null: none of its own.
   */
  memoryLimitMb?: number | null;
  /**
   * Limit in processors, such as 0.5; null: none of its own.
   */
  cpuLimit?: number | null;
  /**
   * Path that must answer with 2xx or 3xx before a version goes live; null: only its port must open.
   */
  healthCheckPath?: string | null;
  /**
   * Host header of health checks; null: the name that visitors use, which is the first active domain or the generated name.
   */
  healthCheckHost?: string | null;
  /**
   * Seconds between two health checks of a new version, 0.1 to 60; null: 0.02 at first, growing to 0.2.
   */
  healthCheckIntervalSeconds?: number | null;
  /**
   * Seconds that one health check may take, 1 to 60; null: 5.
   */
  healthCheckTimeoutSeconds?: number | null;
  /**
   * Seconds that a new version may take to its first good answer, 5 to 900; null: 60.
   */
  healthCheckStartPeriodSeconds?: number | null;
  /**
   * Seconds that what is open to a version goes on after another one has taken over, 0 to 3,600. Null for databases.
   */
  drainSeconds?: number;
  /**
   * Seconds that a version has to end after its stop signal, before it is killed, 0 to 600. Null for databases.
   */
  stopGraceSeconds?: number;
  /**
   * The signal that asks a version to end; null: its image's own, usually SIGTERM.
   */
  stopSignal?: ('SIGTERM' | 'SIGINT' | 'SIGQUIT' | 'SIGHUP' | 'SIGUSR1' | 'SIGUSR2' | 'SIGWINCH') | null;
  /**
   * Program in place of the image's own.
   */
  entrypoint?: [string, ...string[]] | null;
  /**
   * Of a service: arguments in place of the image's own. Otherwise the command to run.
   */
  command?: [string, ...string[]] | null;
  /**
   * User in place of the image's own.
   */
  user?: string | null;
  /**
   * Size of /dev/shm in megabytes, for browsers; null: Docker's own, 64.
   */
  shmSizeMb?: number | null;
  /**
   * Names that variables have in the container in place of their keys, for programs that read names in lower case.
   */
  variableNames?:
    | {
        /**
         * Key of the variable.
         */
        key: string;
        /**
         * Name of the variable in the container.
         */
        name: string;
      }[]
    | null;
  /**
   * Whether its port is open on all addresses of the host; otherwise only services and the host itself reach it.
   */
  databasePublicEnabled?: boolean;
  /**
   * Host name of a public database, which points to its host.
   */
  databasePublicHostname?: string | null;
  /**
   * Whether PostgreSQL runs with `wal_level=logical`, as tools that copy changes need it.
   */
  postgresLogicalReplicationEnabled?: boolean;
  /**
   * Settings of the database engine, by the engine's own names.
   */
  engineSettings?: {
    [k: string]: string | number | null;
  } | null;
  /**
   * The host, which POST /api/system/runners enrolled.
   */
  runnerId?: string;
  /**
   * Whether it, its project and its backups are kept from deletion.
   */
  protected?: boolean;
  env?: PostServiceEnvBody[];
}
export interface PostServiceEnvBody {
  /**
   * Name: upper-case letters, digits and underscores.
   */
  key: string;
  /**
   * The text as it was set; it may refer to others with `${<service>.<VARIABLE>}`.
   */
  value: string;
  /**
   * Whether it is masked in logs and hidden from read keys.
   */
  secret?: boolean;
  /**
   * Where it applies: in builds, in containers that run (also release commands, commands and schedules), or in both.
   */
  scope?: 'both' | 'build' | 'run';
}
export interface PostProjectServicesReply {
  service: Service;
  /**
   * Sentences about references that lead nowhere, or to a database on another host.
   */
  warnings?: string[];
}
export interface GetServiceReply {
  service: Service;
}
export interface GetServiceOverviewReply {
  service: Service;
  /**
   * The deployments, newest first.
   */
  deployments: Deployment[];
  /**
   * The newest push that waits for the checks of its commit, or that they keep from being deployed (setting `waitForChecks`); null: there is none.
   */
  awaitedPush: {
    /**
     * The commit.
     */
    commitSha: string;
    /**
     * First line of its message; null if the git host did not send it.
     */
    commitMessage: string | null;
    /**
     * Branch of the push.
     */
    branch: string;
    /**
     * Who started it; null if that was not recorded yet.
     */
    startedBy: {
      /**
       * `push`: a git host reported a push; `schedule`: a schedule of commands or backups; `platform`: the platform itself.
       */
      type: 'member' | 'key' | 'operator' | 'push' | 'schedule' | 'platform';
      /**
       * Id of the member, the key, the operator's session or the schedule; null: there is none.
       */
      id: string | null;
      /**
       * Name at that time of the member, the key, the schedule or the author of the push; null: not known.
       */
      name: string | null;
    } | null;
    /**
     * `waiting`: for its checks. `failed`: a check is red; if it turns green within the hour, the push is deployed. `unread`: the checks can not be read. `over`: not deployed, and no longer looked at.
     */
    state: 'waiting' | 'failed' | 'unread' | 'over';
    /**
     * What the last look saw, as a sentence; null before it.
     */
    detail: string | null;
    /**
     * Time of the last look; null before it.
     */
    lookedAt: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
  } | null;
  env: Variable[];
  /**
   * Variables that exist only for references, such as the URLs of a database.
   */
  derivedVariables: {
    /**
     * Name: upper-case letters, digits and underscores.
     */
    key: string;
    /**
     * The value; empty where it is hidden from the key.
     */
    value: string;
    /**
     * Whether it is masked in logs and hidden from read keys.
     */
    secret: boolean;
  }[];
  domains: Domain[];
  /**
   * Address of the host for DNS records.
   */
  publicIp: string;
  /**
   * Sentences about unresolved references, and about a live version that crashes, with its last log lines.
   */
  warnings: string[];
  /**
   * Whether the live version ended by itself, was stopped by its host or fails the HEALTHCHECK of its image: `POST /api/services/:serviceId/explain-crash` says why.
   */
  crashExplainable: boolean;
  /**
   * Keys of the variables that the live version has otherwise than they are set now: they wait for a restart or deployment.
   */
  pendingVariables: string[];
  /**
   * Keys of the variables with the scope `build` that the image of the live version was built without, or with another value: they wait for a deployment that builds.
   */
  pendingBuildVariables: string[];
  /**
   * The same keys, by what happened to them since the live version started. Never values.
   */
  pendingChanges: {
    /**
     * The live version does not have them.
     */
    added: string[];
    /**
     * The live version has them with another value.
     */
    changed: string[];
    /**
     * Only the live version has them.
     */
    removed: string[];
  };
  /**
   * Paths of mounted files that the live version has otherwise or not yet.
   */
  pendingFiles: string[];
  /**
   * Settings that the live version has otherwise. Empty if it is not known what it started with.
   */
  pendingSettings: {
    /**
     * The setting, as the service has it.
     */
    name: string;
    /**
     * As the live version has it; null: not set.
     */
    before: string | null;
    /**
     * As it is set now; null: not set.
     */
    after: string | null;
    /**
     * What brings it to the live version. A deployment always does.
     */
    appliedBy: 'restart' | 'deployment';
  }[];
  /**
   * The volumes, in order of creation.
   */
  volumes: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * The service that it belongs to.
     */
    serviceId: string;
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * Absolute path of the volume in the container.
     */
    mountPath: string;
    /**
     * What it may hold, in megabytes; null: what the tenant's containers may write. More stops the container.
     */
    sizeMb: number | null;
    /**
     * What it holds in megabytes, as last measured by the host; null: not measured yet.
     */
    usedMb: number | null;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
  }[];
  /**
   * `overlap`: the old version answers until the new one does. `stop-start`: it stops before the new one starts.
   */
  switch: 'overlap' | 'stop-start';
}
export interface Deployment {
  /**
   * Identifier: a prefix of its kind and 16 characters. It never changes.
   */
  id: string;
  /**
   * The service that it belongs to.
   */
  serviceId: string;
  /**
   * Commit id, tag or branch that the request named; null: the service's branch.
   */
  ref: string | null;
  /**
   * The commit; of an uploaded folder, the one that its client named. Null until it is known, and without one.
   */
  commitSha: string | null;
  /**
   * State, one of a closed set.
   */
  status: 'queued' | 'building' | 'running' | 'superseded' | 'failed' | 'aborted';
  /**
   * What started it. `image-update`: a new digest of its image.
   */
  trigger: 'manual' | 'rollback' | 'webhook' | 'restore' | 'restart' | 'image-update';
  /**
   * Who started it; null if that was not recorded yet.
   */
  startedBy: {
    /**
     * `push`: a git host reported a push; `schedule`: a schedule of commands or backups; `platform`: the platform itself.
     */
    type: 'member' | 'key' | 'operator' | 'push' | 'schedule' | 'platform';
    /**
     * Id of the member, the key, the operator's session or the schedule; null: there is none.
     */
    id: string | null;
    /**
     * Name at that time of the member, the key, the schedule or the author of the push; null: not known.
     */
    name: string | null;
  } | null;
  /**
   * The commit's first line, or the line that its client sent. Null until it is known, and without one.
   */
  commitMessage: string | null;
  /**
   * Name of the commit's author.
   */
  commitAuthor: string | null;
  /**
   * Branch that is deployed.
   */
  branch: string | null;
  /**
   * Checksum of its uploaded folder; null for other sources.
   */
  sourceDigest: string | null;
  /**
   * Why it failed, for programs; null unless it has.
   */
  failureCode: string | null;
  /**
   * Why it failed, as a sentence; null unless it has.
   */
  failureMessage: string | null;
  /**
   * What a queued deployment waits for, or a started one whose host went away, as a sentence; else null.
   */
  waitsFor: string | null;
  /**
   * Tag of the image that was built; null until then.
   */
  imageTag: string | null;
  /**
   * Digest of the pulled image at its registry; null until it is known, and for other sources.
   */
  imageDigest: string | null;
  /**
   * Name of the container once it runs.
   */
  containerName: string | null;
  /**
   * When it started; null until then.
   */
  startedAt: string | null;
  /**
   * When it ended; null until then.
   */
  finishedAt: string | null;
  /**
   * When it was created.
   */
  createdAt: string;
}
export interface Variable {
  /**
   * Identifier: a prefix of its kind and 16 characters. It never changes.
   */
  id: string;
  /**
   * Name: upper-case letters, digits and underscores.
   */
  key: string;
  /**
   * Whether the value is not empty, also where it is hidden.
   */
  hasValue: boolean;
  /**
   * Whether it is masked in logs and hidden from read keys.
   */
  secret: boolean;
  /**
   * Where it applies: in builds, in containers that run (also release commands, commands and schedules), or in both.
   */
  scope: 'both' | 'build' | 'run';
  /**
   * The text as it was set; it may refer to others with `${<service>.<VARIABLE>}`.
   */
  value: string;
  /**
   * The value with its references filled in.
   */
  resolvedValue: string;
  /**
   * When it was created.
   */
  createdAt: string;
  /**
   * When it last changed.
   */
  updatedAt: string;
}
export interface Domain {
  /**
   * Identifier: a prefix of its kind and 16 characters. It never changes.
   */
  id: string;
  /**
   * The service that it belongs to.
   */
  serviceId: string;
  /**
   * Host name, in lower case.
   */
  hostname: string;
  /**
   * State, one of a closed set.
   */
  status: 'pending' | 'active';
  /**
   * What the name waits for, or the result of the host's DNS check, as a sentence.
   */
  detail: string;
  /**
   * Its TLS certificate.
   */
  certificate: {
    /**
     * `none`: not requested yet, or the name is not active. `pending`: requested from the CA.
     */
    state: 'none' | 'pending' | 'issued' | 'failed';
    /**
     * When it expires.
     */
    expiresAt: string | null;
    /**
     * What happened or what it waits for, as a sentence.
     */
    detail: string;
  };
  /**
   * TXT record that verifies the name; absent once it is verified.
   */
  proof?: {
    /**
     * Type of the DNS record.
     */
    recordType: 'TXT';
    /**
     * Name of the record.
     */
    name: string;
    /**
     * Value of the record.
     */
    value: string;
  };
  /**
   * When it was created.
   */
  createdAt: string;
  /**
   * When it last changed.
   */
  updatedAt: string;
}
export interface PatchServiceBody {
  /**
   * Name, for people. It can be changed.
   */
  name?: string;
  /**
   * `<owner>/<repo>`, `image:<reference>` or `database:<engine>`: postgres, timescale, mysql, redis, mongodb, clickhouse.
   */
  repoFullName?: string | null;
  /**
   * Git URL, or `container-image`, `database` or `upload`.
   */
  repoUrl?: 'container-image' | 'database' | 'upload' | string;
  /**
   * Branch that is deployed.
   */
  branch?: string;
  /**
   * Reference of a container image; of a database, the image instead of the default one.
   */
  imageRef?: string | null;
  /**
   * Access token or SSH private key for the repository. Stored encrypted, never returned.
   */
  gitToken?: string | null;
  /**
   * Directory of the service in its repository; null: the root.
   */
  rootDir?: string | null;
  /**
   * `web` answers HTTP, `worker` has no port, `static` serves files.
   */
  runtimeMode?: 'web' | 'worker' | 'static';
  /**
   * `auto` uses a Dockerfile if there is one, else the analyzer.
   */
  buildMethod?: 'auto' | 'dockerfile' | 'analyzer';
  /**
   * Path of the Dockerfile in the directory of the service; null: `Dockerfile`.
   */
  dockerfilePath?: string | null;
  /**
   * Stage of the Dockerfile that is built, by its name or number; null: the last one.
   */
  buildTarget?: string | null;
  /**
   * Runs once in the new image, before a new version starts; its failure keeps the old version. Null: the Procfile's `release`.
   */
  releaseCommand?: string | null;
  /**
   * Command instead of the detected one; not used with a Dockerfile.
   */
  installCommand?: string | null;
  /**
   * Command instead of the detected one; not used with a Dockerfile.
   */
  buildCommand?: string | null;
  /**
   * Command instead of the detected one; not used with a Dockerfile.
   */
  startCommand?: string | null;
  /**
   * Directory whose files are served after the build, for a static site.
   */
  staticOutput?: string | null;
  /**
   * Patterns as in .gitignore, from the root of the repository: a push that changes no file they match deploys nothing; null: each push deploys.
   */
  watchPaths?: [string, ...string[]] | null;
  /**
   * Whether a push deploys only when the checks of its commit are green at the git host. Null for other sources than a repository.
   */
  waitForChecks?: boolean;
  /**
   * When a new digest of the tag deploys by itself: `always`, or days, times and a time zone; null: never.
   */
  imageUpdates?: string | null;
  /**
   * Port on which the app listens in its container; it also gets it as PORT.
   */
  internalPort?: number;
  /**
   * What the app speaks on its port: http1, or h2c, which is HTTP/2 without TLS, for gRPC. Null for databases.
   */
  protocol?: 'http1' | 'h2c';
  /**
   * How many containers serve it, 1 to 10; each has the limits of memory and processors.
   */
  replicas?: number;
  /**
   * Minutes without a request after which its containers stop until the next one, 5 to 1,440; null: never.
   */
  sleepAfterMinutes?: number | null;
  /**
   * Memory limit in megabytes, at least 16; null: none of its own.
   */
  memoryLimitMb?: number | null;
  /**
   * Limit in processors, such as 0.5; null: none of its own.
   */
  cpuLimit?: number | null;
  /**
   * Path that must answer with 2xx or 3xx before a version goes live; null: only its port must open.
   */
  healthCheckPath?: string | null;
  /**
   * Host header of health checks; null: the name that visitors use, which is the first active domain or the generated name.
   */
  healthCheckHost?: string | null;
  /**
   * Seconds between two health checks of a new version, 0.1 to 60; null: 0.02 at first, growing to 0.2.
   */
  healthCheckIntervalSeconds?: number | null;
  /**
   * Seconds that one health check may take, 1 to 60; null: 5.
   */
  healthCheckTimeoutSeconds?: number | null;
  /**
   * Seconds that a new version may take to its first good answer, 5 to 900; null: 60.
   */
  healthCheckStartPeriodSeconds?: number | null;
  /**
   * Seconds that what is open to a version goes on after another one has taken over, 0 to 3,600. Null for databases.
   */
  drainSeconds?: number;
  /**
   * Seconds that a version has to end after its stop signal, before it is killed, 0 to 600. Null for databases.
   */
  stopGraceSeconds?: number;
  /**
   * The signal that asks a version to end; null: its image's own, usually SIGTERM.
   */
  stopSignal?: ('SIGTERM' | 'SIGINT' | 'SIGQUIT' | 'SIGHUP' | 'SIGUSR1' | 'SIGUSR2' | 'SIGWINCH') | null;
  /**
   * Program in place of the image's own.
   */
  entrypoint?: [string, ...string[]] | null;
  /**
   * Of a service: arguments in place of the image's own. Otherwise the command to run.
   */
  command?: [string, ...string[]] | null;
  /**
   * User in place of the image's own.
   */
  user?: string | null;
  /**
   * Size of /dev/shm in megabytes, for browsers; null: Docker's own, 64.
   */
  shmSizeMb?: number | null;
  /**
   * Names that variables have in the container in place of their keys, for programs that read names in lower case.
   */
  variableNames?:
    | {
        /**
         * Key of the variable.
         */
        key: string;
        /**
         * Name of the variable in the container.
         */
        name: string;
      }[]
    | null;
  /**
   * Whether its port is open on all addresses of the host; otherwise only services and the host itself reach it.
   */
  databasePublicEnabled?: boolean;
  /**
   * Host name of a public database, which points to its host.
   */
  databasePublicHostname?: string | null;
  /**
   * Whether PostgreSQL runs with `wal_level=logical`, as tools that copy changes need it.
   */
  postgresLogicalReplicationEnabled?: boolean;
  /**
   * Settings of the database engine, by the engine's own names.
   */
  engineSettings?: {
    [k: string]: string | number | null;
  } | null;
  /**
   * The host, which POST /api/system/runners enrolled.
   */
  runnerId?: string;
  /**
   * Whether it, its project and its backups are kept from deletion.
   */
  protected?: boolean;
}
export interface PatchServiceReply {
  service: Service;
  /**
   * Sentences about references that lead nowhere, or to a database on another host.
   */
  warnings?: string[];
}
export interface PostServiceTransferBody {
  /**
   * The project to which the service moves.
   */
  targetProjectId: string;
}
export interface PostServiceTransferReply {
  service: Service;
  project: Project;
  /**
   * Result of a real request through the host's proxy; with `ok: false` the change still holds.
   */
  proxy: {
    /**
     * Whether it succeeded.
     */
    ok: boolean;
    /**
     * What happened or what it waits for, as a sentence.
     */
    detail: string;
  };
}
export interface DeleteServiceReply {
  /**
   * The change was made.
   */
  ok: true;
  /**
   * Result of a real request through the host's proxy; with `ok: false` the change still holds.
   */
  proxy: {
    /**
     * Whether it succeeded.
     */
    ok: boolean;
    /**
     * What happened or what it waits for, as a sentence.
     */
    detail: string;
  };
}
export interface PostServiceHostPortBody {
  /**
   * A port of the block that the host has for apps or for databases.
   */
  port?: number;
}
export interface PostServiceHostPortReply {
  service: Service;
  /**
   * The port that the service has or will have.
   */
  port: number;
  /**
   * Whether it only takes effect with the next deployment.
   */
  pending: boolean;
}
export interface PostServiceDeployKeyReply {
  /**
   * The SSH key of the service; null: none.
   */
  deployKey: {
    /**
     * Public half of the SSH key, to add to the repository as a deploy key.
     */
    publicKey: string;
    /**
     * SHA-256 fingerprint of the key.
     */
    fingerprint: string;
  };
}
export interface GetServiceDeployKeyReply {
  /**
   * The SSH key of the service; null: none.
   */
  deployKey: {
    /**
     * Public half of the SSH key, to add to the repository as a deploy key.
     */
    publicKey: string;
    /**
     * SHA-256 fingerprint of the key.
     */
    fingerprint: string;
  } | null;
}
export interface GetHostsReply {
  hosts: {
    /**
     * The "runnerId" of services on it.
     */
    id: string;
    /**
     * Name that the operator gave it.
     */
    name: string;
    /**
     * Whether it is connected.
     */
    connected: boolean;
    /**
     * Whether you can place a new service on it, or move one to it.
     */
    takesServices: boolean;
    /**
     * Why it takes no new services; null: it takes them.
     */
    refusal: string | null;
    /**
     * How many services that you can see are on it, or are going to move to it.
     */
    services: number;
  }[];
  /**
   * `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string;
}
export interface PostServiceEnvReply {
  /**
   * The change was made.
   */
  ok: true;
  /**
   * Identifier: a prefix of its kind and 16 characters. It never changes.
   */
  id: string;
  /**
   * Sentences about references that lead nowhere, or to a database on another host.
   */
  warnings?: string[];
}
export interface PostServiceEnvBulkBody {
  /**
   * Text of a .env file.
   */
  text?: string;
  env?: PostServiceEnvBody[];
}
export interface PostServiceEnvBulkReply {
  /**
   * The change was made.
   */
  ok: true;
  env: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Name: upper-case letters, digits and underscores.
     */
    key: string;
    /**
     * Where it applies: in builds, in containers that run (also release commands, commands and schedules), or in both.
     */
    scope: 'both' | 'build' | 'run';
    /**
     * Whether it is new; false: it was changed.
     */
    created: boolean;
  }[];
  /**
   * Sentences about references that lead nowhere, or to a database on another host.
   */
  warnings?: string[];
}
export interface GetServiceEnvReply {
  env: Variable[];
  /**
   * `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string;
}
export interface DeleteServiceEnvReply {
  /**
   * The change was made.
   */
  ok: true;
}
export interface GetServiceVolumesReply {
  /**
   * The volumes, in order of creation.
   */
  volumes: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * The service that it belongs to.
     */
    serviceId: string;
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * Absolute path of the volume in the container.
     */
    mountPath: string;
    /**
     * What it may hold, in megabytes; null: what the tenant's containers may write. More stops the container.
     */
    sizeMb: number | null;
    /**
     * What it holds in megabytes, as last measured by the host; null: not measured yet.
     */
    usedMb: number | null;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
  }[];
  /**
   * `overlap`: the old version answers until the new one does. `stop-start`: it stops before the new one starts.
   */
  switch: 'overlap' | 'stop-start';
}
export interface PostServiceVolumesBody {
  /**
   * Name, for people. It can be changed.
   */
  name: string;
  /**
   * Absolute path of the volume in the container.
   */
  mountPath: string;
  /**
   * What it may hold, in megabytes; null: what the tenant's containers may write. More stops the container.
   */
  sizeMb?: number | null;
}
export interface PostServiceVolumesReply {
  volume: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * The service that it belongs to.
     */
    serviceId: string;
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * Absolute path of the volume in the container.
     */
    mountPath: string;
    /**
     * What it may hold, in megabytes; null: what the tenant's containers may write. More stops the container.
     */
    sizeMb: number | null;
    /**
     * What it holds in megabytes, as last measured by the host; null: not measured yet.
     */
    usedMb: number | null;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
  };
  /**
   * `overlap`: the old version answers until the new one does. `stop-start`: it stops before the new one starts.
   */
  switch: 'overlap' | 'stop-start';
  /**
   * What happened or what it waits for, as a sentence.
   */
  detail: string;
}
export interface PatchServiceVolumeBody {
  /**
   * Name, for people. It can be changed.
   */
  name?: string;
  /**
   * Absolute path of the volume in the container.
   */
  mountPath?: string;
  /**
   * What it may hold, in megabytes; null: what the tenant's containers may write. More stops the container.
   */
  sizeMb?: number | null;
}
export interface DeleteServiceVolumeReply {
  /**
   * The change was made.
   */
  ok: true;
  /**
   * What happened or what it waits for, as a sentence.
   */
  detail: string;
}
export interface GetServiceVolumeBackupsReply {
  /**
   * The backups, newest first.
   */
  backups: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * The service that it belongs to.
     */
    serviceId: string;
    /**
     * State, one of a closed set.
     */
    status: 'running' | 'succeeded' | 'failed';
    /**
     * What started it.
     */
    trigger: 'manual' | 'daily' | 'weekly' | 'monthly' | 'pre-restore' | 'pre-update' | 'move';
    /**
     * Who started it; null if that was not recorded yet.
     */
    startedBy: {
      /**
       * `push`: a git host reported a push; `schedule`: a schedule of commands or backups; `platform`: the platform itself.
       */
      type: 'member' | 'key' | 'operator' | 'push' | 'schedule' | 'platform';
      /**
       * Id of the member, the key, the operator's session or the schedule; null: there is none.
       */
      id: string | null;
      /**
       * Name at that time of the member, the key, the schedule or the author of the push; null: not known.
       */
      name: string | null;
    } | null;
    /**
     * Where copies are kept: the disk of the host, the bucket, or both.
     */
    storage: 'disk' | 'remote' | 'disk+remote';
    /**
     * Format of the file.
     */
    format: 'custom' | 'sql' | 'rdb' | 'archive' | 'native' | 'tar';
    /**
     * Path of the file on the host; null: no copy there.
     */
    localPath: string | null;
    /**
     * Key of the file in the bucket; null: no copy there.
     */
    remoteKey: string | null;
    /**
     * Size in bytes.
     */
    sizeBytes: number;
    /**
     * `sha256:` and the hexadecimal digest of the file.
     */
    checksum: string;
    /**
     * The key with which the file is encrypted; null: it is not.
     */
    encryptedWith: string | null;
    /**
     * Parts of the source that the backup does not contain.
     */
    notKept: string[];
    /**
     * How far it is; null when it does not run.
     */
    progress: {
      /**
       * What is done so far.
       */
      done: number;
      /**
       * The whole; null while unknown.
       */
      total: number | null;
      /**
       * What is counted.
       */
      unit: 'bytes' | 'rows' | 'keys';
    } | null;
    /**
     * What is wrong and what to do, as a sentence.
     */
    error: string | null;
    /**
     * When a test restore last succeeded.
     */
    lastProvenAt: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it started; null until then.
     */
    startedAt: string;
    /**
     * When it ended; null until then.
     */
    finishedAt: string | null;
    /**
     * The volume. Of a backup: the one that it was taken of, which may be deleted since.
     */
    volumeId: string;
    /**
     * What the service does while its volume is copied. `none`: it keeps running. `stop`: it is stopped, and starts again after the copy. `command`: `before` and `after` run in its container.
     */
    quiesce: 'none' | 'stop' | 'command';
    /**
     * Files, directories, links and pipes in the backup; null until they are copied.
     */
    entries: number | null;
    /**
     * The newest restore of this backup.
     */
    restore: {
      /**
       * Identifier: a prefix of its kind and 16 characters. It never changes.
       */
      id: string;
      /**
       * The service that it belongs to.
       */
      serviceId: string;
      /**
       * State, one of a closed set.
       */
      state: 'running' | 'succeeded' | 'failed';
      /**
       * How far it is; null when it does not run.
       */
      progress: {
        /**
         * What is done so far.
         */
        done: number;
        /**
         * The whole; null while unknown.
         */
        total: number | null;
        /**
         * What is counted.
         */
        unit: 'bytes' | 'rows' | 'keys';
      } | null;
      /**
       * What is wrong and what to do, as a sentence.
       */
      error: string | null;
      /**
       * Who started it; null if that was not recorded yet.
       */
      startedBy: {
        /**
         * `push`: a git host reported a push; `schedule`: a schedule of commands or backups; `platform`: the platform itself.
         */
        type: 'member' | 'key' | 'operator' | 'push' | 'schedule' | 'platform';
        /**
         * Id of the member, the key, the operator's session or the schedule; null: there is none.
         */
        id: string | null;
        /**
         * Name at that time of the member, the key, the schedule or the author of the push; null: not known.
         */
        name: string | null;
      } | null;
      /**
       * The backup of the replaced data; null if the restore failed before that backup was taken.
       */
      safetyBackupId: string | null;
      /**
       * When it was created.
       */
      createdAt: string;
      /**
       * When it ended; null until then.
       */
      finishedAt: string | null;
    } | null;
    /**
     * The newest test restore of this backup.
     */
    drill: {
      /**
       * Identifier: a prefix of its kind and 16 characters. It never changes.
       */
      id: string;
      /**
       * The backup.
       */
      backupId: string;
      /**
       * What started it.
       */
      trigger: 'manual' | 'weekly';
      /**
       * Who started it; null if that was not recorded yet.
       */
      startedBy: {
        /**
         * `push`: a git host reported a push; `schedule`: a schedule of commands or backups; `platform`: the platform itself.
         */
        type: 'member' | 'key' | 'operator' | 'push' | 'schedule' | 'platform';
        /**
         * Id of the member, the key, the operator's session or the schedule; null: there is none.
         */
        id: string | null;
        /**
         * Name at that time of the member, the key, the schedule or the author of the push; null: not known.
         */
        name: string | null;
      } | null;
      /**
       * State, one of a closed set.
       */
      state: 'running' | 'succeeded' | 'failed' | 'skipped' | 'aborted';
      /**
       * How far it is; null when it does not run.
       */
      progress: {
        /**
         * What is done so far.
         */
        done: number;
        /**
         * The whole; null while unknown.
         */
        total: number | null;
        /**
         * What is counted.
         */
        unit: 'bytes' | 'rows' | 'keys';
      } | null;
      /**
       * What is wrong and what to do, as a sentence.
       */
      error: string | null;
      /**
       * When it was created.
       */
      createdAt: string;
      /**
       * When it ended; null until then.
       */
      finishedAt: string | null;
    } | null;
  }[];
  settings: {
    /**
     * The service that it belongs to.
     */
    serviceId: string;
    /**
     * Where copies are kept: the disk of the host, the bucket, or both.
     */
    storage: 'disk' | 'remote' | 'disk+remote';
    /**
     * Whether backups are scheduled at all.
     */
    automaticEnabled: boolean;
    /**
     * Whether one is taken each day.
     */
    dailyEnabled: boolean;
    /**
     * Whether one is taken each week.
     */
    weeklyEnabled: boolean;
    /**
     * Whether one is taken each month.
     */
    monthlyEnabled: boolean;
    /**
     * The newest test restore of this backup.
     */
    drill: 'weekly' | 'off';
    /**
     * When the next scheduled backup is due; null: none is scheduled.
     */
    nextBackupAt: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
    /**
     * What the service does while the schedule copies its volumes.
     */
    quiesce: 'none' | 'stop' | 'command';
  };
  remote: {
    /**
     * Whether it is connected.
     */
    connected: boolean;
  };
  /**
   * `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string;
}
export interface PostServiceVolumeBackupsBody {
  /**
   * The volume. Of a backup: the one that it was taken of, which may be deleted since.
   */
  volumeId: string;
  /**
   * Where copies are kept: the disk of the host, the bucket, or both.
   */
  storage: 'disk' | 'remote' | 'disk+remote';
  /**
   * What the service does while its volume is copied. `none`: it keeps running. `stop`: it is stopped, and starts again after the copy. `command`: `before` and `after` run in its container.
   */
  quiesce?: 'none' | 'stop' | 'command';
  /**
   * For `command`: a line for the shell of the image, which runs before the copy, for five minutes at most.
   */
  before?: string;
  /**
   * For `command`: a line that runs after the copy, even if `before` or the copy failed.
   */
  after?: string;
}
export interface PostServiceVolumeBackupsReply {
  backup: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * The service that it belongs to.
     */
    serviceId: string;
    /**
     * State, one of a closed set.
     */
    status: 'running' | 'succeeded' | 'failed';
    /**
     * What started it.
     */
    trigger: 'manual' | 'daily' | 'weekly' | 'monthly' | 'pre-restore' | 'pre-update' | 'move';
    /**
     * Who started it; null if that was not recorded yet.
     */
    startedBy: {
      /**
       * `push`: a git host reported a push; `schedule`: a schedule of commands or backups; `platform`: the platform itself.
       */
      type: 'member' | 'key' | 'operator' | 'push' | 'schedule' | 'platform';
      /**
       * Id of the member, the key, the operator's session or the schedule; null: there is none.
       */
      id: string | null;
      /**
       * Name at that time of the member, the key, the schedule or the author of the push; null: not known.
       */
      name: string | null;
    } | null;
    /**
     * Where copies are kept: the disk of the host, the bucket, or both.
     */
    storage: 'disk' | 'remote' | 'disk+remote';
    /**
     * Format of the file.
     */
    format: 'custom' | 'sql' | 'rdb' | 'archive' | 'native' | 'tar';
    /**
     * Path of the file on the host; null: no copy there.
     */
    localPath: string | null;
    /**
     * Key of the file in the bucket; null: no copy there.
     */
    remoteKey: string | null;
    /**
     * Size in bytes.
     */
    sizeBytes: number;
    /**
     * `sha256:` and the hexadecimal digest of the file.
     */
    checksum: string;
    /**
     * The key with which the file is encrypted; null: it is not.
     */
    encryptedWith: string | null;
    /**
     * Parts of the source that the backup does not contain.
     */
    notKept: string[];
    /**
     * How far it is; null when it does not run.
     */
    progress: {
      /**
       * What is done so far.
       */
      done: number;
      /**
       * The whole; null while unknown.
       */
      total: number | null;
      /**
       * What is counted.
       */
      unit: 'bytes' | 'rows' | 'keys';
    } | null;
    /**
     * What is wrong and what to do, as a sentence.
     */
    error: string | null;
    /**
     * When a test restore last succeeded.
     */
    lastProvenAt: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it started; null until then.
     */
    startedAt: string;
    /**
     * When it ended; null until then.
     */
    finishedAt: string | null;
    /**
     * The volume. Of a backup: the one that it was taken of, which may be deleted since.
     */
    volumeId: string;
    /**
     * What the service does while its volume is copied. `none`: it keeps running. `stop`: it is stopped, and starts again after the copy. `command`: `before` and `after` run in its container.
     */
    quiesce: 'none' | 'stop' | 'command';
    /**
     * Files, directories, links and pipes in the backup; null until they are copied.
     */
    entries: number | null;
  };
  /**
   * What the service does while its volume is copied. `none`: it keeps running. `stop`: it is stopped, and starts again after the copy. `command`: `before` and `after` run in its container.
   */
  quiesce: 'none' | 'stop' | 'command';
  /**
   * What happened or what it waits for, as a sentence.
   */
  detail: string;
}
export interface PatchServiceVolumeBackupsSettingsBody {
  /**
   * Where copies are kept: the disk of the host, the bucket, or both.
   */
  storage?: 'disk' | 'remote' | 'disk+remote';
  /**
   * Whether backups are scheduled at all.
   */
  automaticEnabled?: boolean;
  /**
   * Whether one is taken each day.
   */
  dailyEnabled?: boolean;
  /**
   * Whether one is taken each week.
   */
  weeklyEnabled?: boolean;
  /**
   * Whether one is taken each month.
   */
  monthlyEnabled?: boolean;
  /**
   * The newest test restore of this backup.
   */
  drill?: 'weekly' | 'off';
  /**
   * What the service does while its volume is copied. `none`: it keeps running. `stop`: it is stopped, and starts again after the copy. `command`: `before` and `after` run in its container.
   */
  quiesce?: 'none' | 'stop' | 'command';
  /**
   * For `command`: a line for the shell of the image, which runs before the copy, for five minutes at most.
   */
  before?: string;
  /**
   * For `command`: a line that runs after the copy, even if `before` or the copy failed.
   */
  after?: string;
}
export interface PatchServiceVolumeBackupsSettingsReply {
  settings: {
    /**
     * The service that it belongs to.
     */
    serviceId: string;
    /**
     * Where copies are kept: the disk of the host, the bucket, or both.
     */
    storage: 'disk' | 'remote' | 'disk+remote';
    /**
     * Whether backups are scheduled at all.
     */
    automaticEnabled: boolean;
    /**
     * Whether one is taken each day.
     */
    dailyEnabled: boolean;
    /**
     * Whether one is taken each week.
     */
    weeklyEnabled: boolean;
    /**
     * Whether one is taken each month.
     */
    monthlyEnabled: boolean;
    /**
     * The newest test restore of this backup.
     */
    drill: 'weekly' | 'off';
    /**
     * When the next scheduled backup is due; null: none is scheduled.
     */
    nextBackupAt: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
    /**
     * What the service does while the schedule copies its volumes.
     */
    quiesce: 'none' | 'stop' | 'command';
  };
}
export interface PostServiceVolumeBackupRestoreBody {
  /**
   * Volume of the same service whose files are replaced; absent: the backup's own.
   */
  targetVolumeId?: string;
}
export interface PostServiceVolumeBackupRestoreReply {
  /**
   * The change was made.
   */
  ok: true;
  /**
   * When it was restored.
   */
  restoredAt: string;
  backup: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * State, one of a closed set.
     */
    status: string;
  };
}
export interface PostServiceVolumeBackupRestoreAbortReply {
  /**
   * The abort was passed on.
   */
  accepted: true;
}
export interface PostServiceVolumeBackupAbortReply {
  /**
   * The abort was passed on.
   */
  accepted: true;
}
export interface PostServiceVolumeBackupProveReply {
  drill: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * The backup.
     */
    backupId: string;
    /**
     * What started it.
     */
    trigger: 'manual' | 'weekly';
    /**
     * Who started it; null if that was not recorded yet.
     */
    startedBy: {
      /**
       * `push`: a git host reported a push; `schedule`: a schedule of commands or backups; `platform`: the platform itself.
       */
      type: 'member' | 'key' | 'operator' | 'push' | 'schedule' | 'platform';
      /**
       * Id of the member, the key, the operator's session or the schedule; null: there is none.
       */
      id: string | null;
      /**
       * Name at that time of the member, the key, the schedule or the author of the push; null: not known.
       */
      name: string | null;
    } | null;
    /**
     * State, one of a closed set.
     */
    state: 'running' | 'succeeded' | 'failed' | 'skipped' | 'aborted';
    /**
     * How far it is; null when it does not run.
     */
    progress: {
      /**
       * What is done so far.
       */
      done: number;
      /**
       * The whole; null while unknown.
       */
      total: number | null;
      /**
       * What is counted.
       */
      unit: 'bytes' | 'rows' | 'keys';
    } | null;
    /**
     * What is wrong and what to do, as a sentence.
     */
    error: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it ended; null until then.
     */
    finishedAt: string | null;
  };
}
export interface PostServiceVolumeBackupProveAbortReply {
  /**
   * The abort was passed on.
   */
  accepted: true;
}
export interface DeleteServiceVolumeBackupReply {
  /**
   * The change was made.
   */
  ok: true;
}
export interface PostServiceMoveBody {
  /**
   * The host to move to.
   */
  runnerId: string;
  /**
   * Whether to change nothing and only answer what would happen.
   */
  dryRun?: boolean;
}
export interface PostServiceMoveReply {
  /**
   * The deployment on the new host, whose end is the end of the move; null for a dry run.
   */
  deployment: Deployment | null;
  /**
   * `overlap`: the old version answers until the new one does. `stop-start`: it stops before the new one starts.
   */
  switch: 'overlap' | 'stop-start';
  /**
   * What its volumes hold together now, in megabytes; null: its host is not connected, or could not count all files within 10 s.
   */
  dataMb: number | null;
  /**
   * What happened or what it waits for, as a sentence.
   */
  detail: string;
}
export interface GetServiceFilesReply {
  /**
   * The files, by path.
   */
  files: {
    /**
     * Absolute path in the container.
     */
    path: string;
    /**
     * The text of the file; null where it is hidden from the key.
     */
    content: string | null;
    /**
     * Whether it is masked in logs and hidden from read keys.
     */
    secret: boolean;
    /**
     * Permissions as an octal number; the user of the container owns the file.
     */
    mode: string;
    /**
     * Size in bytes.
     */
    sizeBytes: number;
    /**
     * When it last changed.
     */
    updatedAt: string;
  }[];
  /**
   * Paths of mounted files that the live version has otherwise or not yet.
   */
  pendingFiles: string[];
}
export interface PutServiceFilesBody {
  /**
   * Absolute path in the container.
   */
  path: string;
  /**
   * The text of the file; null where it is hidden from the key.
   */
  content: string;
  /**
   * Whether it is masked in logs and hidden from read keys.
   */
  secret?: boolean;
  /**
   * Permissions as an octal number; the user of the container owns the file.
   */
  mode?: string;
}
export interface PutServiceFilesReply {
  file: {
    /**
     * Absolute path in the container.
     */
    path: string;
    /**
     * The text of the file; null where it is hidden from the key.
     */
    content: string | null;
    /**
     * Whether it is masked in logs and hidden from read keys.
     */
    secret: boolean;
    /**
     * Permissions as an octal number; the user of the container owns the file.
     */
    mode: string;
    /**
     * Size in bytes.
     */
    sizeBytes: number;
    /**
     * When it last changed.
     */
    updatedAt: string;
  };
  /**
   * What happened or what it waits for, as a sentence.
   */
  detail: string;
}
export interface DeleteServiceFilesReply {
  /**
   * The change was made.
   */
  ok: true;
  /**
   * What happened or what it waits for, as a sentence.
   */
  detail: string;
}
export interface GetProjectDatabaseVariableSuggestionsReply {
  /**
   * What the service seems to need.
   */
  suggestions: {
    /**
     * Name: upper-case letters, digits and underscores.
     */
    key: string;
    /**
     * The value to set.
     */
    value: string;
    /**
     * Why it is suggested.
     */
    label: string;
  }[];
}
export interface GetServiceSuggestionKeysReply {
  /**
   * What the service seems to need.
   */
  suggestions: {
    /**
     * Name: upper-case letters, digits and underscores.
     */
    key: string;
    /**
     * Why it is suggested.
     */
    label: string;
  }[];
  /**
   * References to the project's databases.
   */
  databaseVariables: {
    /**
     * Name: upper-case letters, digits and underscores.
     */
    key: string;
    /**
     * The value to set.
     */
    value: string;
    /**
     * Why it is suggested.
     */
    label: string;
  }[];
}
export interface GetProjectReferencesReply {
  /**
   * What can be referred to, in order of creation.
   */
  services: {
    /**
     * The service that it belongs to.
     */
    serviceId: string;
    /**
     * Name in addresses, made from the first name. It never changes.
     */
    slug: string;
    /**
     * Its variables, and those that exist only for references, sorted.
     */
    keys: string[];
  }[];
  /**
   * From one service to another.
   */
  references: {
    /**
     * The service that it belongs to.
     */
    serviceId: string;
    /**
     * The service that its variables refer to.
     */
    targetServiceId: string;
    /**
     * The variables that do so, sorted.
     */
    keys: string[];
  }[];
  /**
   * False: the project has so many variables that only the oldest ones were looked at.
   */
  isComplete: boolean;
}
export interface PostServiceDomainsBody {
  /**
   * Host name, in lower case.
   */
  hostname: string;
}
export interface PostServiceDomainsReply {
  /**
   * The change was made.
   */
  ok: true;
  /**
   * Result of a real request through the host's proxy; with `ok: false` the change still holds.
   */
  proxy: {
    /**
     * Whether it succeeded.
     */
    ok: boolean;
    /**
     * What happened or what it waits for, as a sentence.
     */
    detail: string;
  };
  domain?: Domain;
  /**
   * Address to which the name has to point.
   */
  targetIp?: string;
}
export interface DeleteServiceDomainReply {
  /**
   * The change was made.
   */
  ok: true;
  /**
   * Result of a real request through the host's proxy; with `ok: false` the change still holds.
   */
  proxy: {
    /**
     * Whether it succeeded.
     */
    ok: boolean;
    /**
     * What happened or what it waits for, as a sentence.
     */
    detail: string;
  };
}
export interface PostServiceDomainDnsRecordsBody {
  /**
   * Absent: the connected provider whose account has the zone of the domain.
   */
  providerId?: 'cloudflare' | 'namecheap' | 'spaceship';
  /**
   * Also changes a record that points to no host of this instance. Needs a key for all projects.
   */
  replace?: boolean;
}
export interface PostServiceDomainDnsRecordsReply {
  /**
   * The change was made.
   */
  ok: true;
  result: {
    /**
     * The provider that answered.
     */
    provider: 'cloudflare' | 'namecheap' | 'spaceship';
    /**
     * Its name, for people.
     */
    providerName: string;
    /**
     * What was done.
     */
    action: 'created' | 'updated' | 'unchanged';
    /**
     * Host name, in lower case.
     */
    hostname: string;
    /**
     * Type of the DNS record.
     */
    recordType: 'A' | 'AAAA';
    /**
     * Name of the record in its zone.
     */
    host: string;
    /**
     * The DNS zone of the record.
     */
    zone: string;
    /**
     * Address to which the name has to point.
     */
    targetIp: string;
  };
  domain: Domain;
  /**
   * The TXT record that was made to verify the name.
   */
  verificationRecord?: {
    /**
     * Type of the DNS record.
     */
    recordType: 'TXT';
    /**
     * Name of the record.
     */
    name: string;
    /**
     * Value of the record.
     */
    value: string;
    /**
     * What was done.
     */
    action: 'created' | 'unchanged' | 'failed';
    /**
     * What happened or what it waits for, as a sentence.
     */
    detail: string | null;
  };
}
export interface GetServiceDomainCertificateReply {
  /**
   * The certificate that was given for the domain; null: it has an automatic one.
   */
  ownCertificate: {
    /**
     * Names that it is valid for.
     */
    names: string[];
    /**
     * Name of the CA that signed it.
     */
    issuer: string;
    /**
     * When the certificate begins to be valid.
     */
    validFrom: string;
    /**
     * When it expires.
     */
    expiresAt: string;
    /**
     * SHA-256 of the certificate, in hexadecimal.
     */
    fingerprint: string;
    /**
     * Kind of its key.
     */
    keyType: string;
    /**
     * Certificates that the proxy sends, with that of the name.
     */
    chainLength: number;
    /**
     * When it last changed.
     */
    updatedAt: string;
  } | null;
}
export interface PutServiceDomainCertificateBody {
  /**
   * PEM: the certificate of the name, then those that lead to its root. The root itself may be left out.
   */
  certificate: string;
  /**
   * PEM: its private key, not encrypted: RSA with 2,048 to 4,096 bits, or EC with P-256 or P-384. Never returned.
   */
  privateKey: string;
}
export interface PutServiceDomainCertificateReply {
  /**
   * The change was made.
   */
  ok: true;
  /**
   * The certificate that was given for the domain; null: it has an automatic one.
   */
  ownCertificate: {
    /**
     * Names that it is valid for.
     */
    names: string[];
    /**
     * Name of the CA that signed it.
     */
    issuer: string;
    /**
     * When the certificate begins to be valid.
     */
    validFrom: string;
    /**
     * When it expires.
     */
    expiresAt: string;
    /**
     * SHA-256 of the certificate, in hexadecimal.
     */
    fingerprint: string;
    /**
     * Kind of its key.
     */
    keyType: string;
    /**
     * Certificates that the proxy sends, with that of the name.
     */
    chainLength: number;
    /**
     * When it last changed.
     */
    updatedAt: string;
  } | null;
  /**
   * Result of a real request through the host's proxy; with `ok: false` the change still holds.
   */
  proxy: {
    /**
     * Whether it succeeded.
     */
    ok: boolean;
    /**
     * What happened or what it waits for, as a sentence.
     */
    detail: string;
  };
}
export interface DeleteServiceDomainCertificateReply {
  /**
   * The change was made.
   */
  ok: true;
  /**
   * Result of a real request through the host's proxy; with `ok: false` the change still holds.
   */
  proxy: {
    /**
     * Whether it succeeded.
     */
    ok: boolean;
    /**
     * What happened or what it waits for, as a sentence.
     */
    detail: string;
  };
}
export interface GetServiceTrafficRulesReply {
  /**
   * All rules of the service, as a body that sets them again.
   */
  rules: {
    /**
     * The first one that matches applies.
     *
     * @maxItems 50
     */
    redirects?: {
      /**
       * Names of the service that the rule applies to; absent: all, also those that are added later.
       *
       * @minItems 1
       * @maxItems 100
       */
      domains?: [string, ...string[]];
      /**
       * The path that is redirected; absent: all.
       */
      fromPath?: string;
      /**
       * Whether `fromPath` is one path, or also all paths below it (`prefix`, the default).
       */
      match?: 'exact' | 'prefix';
      /**
       * Where it leads: a URL, or a path of the same name. The query is kept.
       */
      to: string;
      /**
       * Whether browsers and search engines may remember it: 308; otherwise 307, the default.
       */
      permanent?: boolean;
      /**
       * Whether the path behind a prefix is appended; absent: yes.
       */
      keepPath?: boolean;
    }[];
    /**
     * Asks visitors for a password; absent or null: none.
     */
    basicAuth?: {
      /**
       * Names of the service that the rule applies to; absent: all, also those that are added later.
       *
       * @minItems 1
       * @maxItems 100
       */
      domains?: [string, ...string[]];
      /**
       * Who may enter.
       *
       * @minItems 1
       * @maxItems 10
       */
      users: [
        {
          /**
           * Name that a visitor gives.
           */
          user: string;
          /**
           * Password of the user. Stored as a hash, never returned; absent: it stays as it is.
           */
          password?: string;
        },
        ...{
          /**
           * Name that a visitor gives.
           */
          user: string;
          /**
           * Password of the user. Stored as a hash, never returned; absent: it stays as it is.
           */
          password?: string;
        }[],
      ];
      /**
       * Exact paths that need no password, such as that of a webhook.
       *
       * @maxItems 20
       */
      openPaths?: string[];
    } | null;
    /**
     * Answers 503 with a page instead of the app; absent or null: not.
     */
    maintenance?: {
      /**
       * Names of the service that the rule applies to; absent: all, also those that are added later.
       *
       * @minItems 1
       * @maxItems 100
       */
      domains?: [string, ...string[]];
      /**
       * Value of `Retry-After`; absent: 300.
       */
      retryAfterSeconds?: number;
      /**
       * Addresses and networks whose visitors still reach the app.
       *
       * @maxItems 100
       */
      allowedAddresses?: string[];
    } | null;
    /**
     * Changes of the headers that the app gets.
     *
     * @maxItems 10
     */
    requestHeaders?: {
      /**
       * `set` replaces a header, `add` adds another one with this name.
       */
      change: 'set' | 'add' | 'remove';
      /**
       * Name of the header.
       */
      header: string;
      /**
       * Its value; absent for `remove`.
       */
      content?: string;
    }[];
    /**
     * Changes of the headers that visitors get.
     *
     * @maxItems 10
     */
    responseHeaders?: {
      /**
       * `set` replaces a header, `add` adds another one with this name.
       */
      change: 'set' | 'add' | 'remove';
      /**
       * Name of the header.
       */
      header: string;
      /**
       * Its value; absent for `remove`.
       */
      content?: string;
    }[];
    /**
     * Largest body of a request, in megabytes of 1,000,000 bytes; absent or null: no limit.
     */
    maxBodyMegabytes?: (1 | 2 | 5 | 10 | 20 | 50 | 100 | 200 | 500 | 1000) | null;
    /**
     * How long the app may take until the first byte of its answer, in seconds; absent or null: no limit.
     */
    firstByteTimeoutSeconds?: (5 | 10 | 30 | 60 | 120 | 300) | null;
    /**
     * How long the app may send nothing, in seconds, before its answer, event stream or WebSocket is ended; absent or null: no limit. Not for uploads of 1 MB or more.
     */
    idleTimeoutSeconds?: (10 | 60 | 600) | null;
    /**
     * Requests are lines of the runtime log, of the stream `access`; absent or null: they are not.
     */
    accessLog?: {
      /**
       * Part of the requests that is written; absent: 1, all.
       */
      sample?: number;
    } | null;
  };
}
export interface PutServiceTrafficRulesBody {
  /**
   * The first one that matches applies.
   *
   * @maxItems 50
   */
  redirects?: {
    /**
     * Names of the service that the rule applies to; absent: all, also those that are added later.
     *
     * @minItems 1
     * @maxItems 100
     */
    domains?: [string, ...string[]];
    /**
     * The path that is redirected; absent: all.
     */
    fromPath?: string;
    /**
     * Whether `fromPath` is one path, or also all paths below it (`prefix`, the default).
     */
    match?: 'exact' | 'prefix';
    /**
     * Where it leads: a URL, or a path of the same name. The query is kept.
     */
    to: string;
    /**
     * Whether browsers and search engines may remember it: 308; otherwise 307, the default.
     */
    permanent?: boolean;
    /**
     * Whether the path behind a prefix is appended; absent: yes.
     */
    keepPath?: boolean;
  }[];
  /**
   * Asks visitors for a password; absent or null: none.
   */
  basicAuth?: {
    /**
     * Names of the service that the rule applies to; absent: all, also those that are added later.
     *
     * @minItems 1
     * @maxItems 100
     */
    domains?: [string, ...string[]];
    /**
     * Who may enter.
     *
     * @minItems 1
     * @maxItems 10
     */
    users: [
      {
        /**
         * Name that a visitor gives.
         */
        user: string;
        /**
         * Password of the user. Stored as a hash, never returned; absent: it stays as it is.
         */
        password?: string;
      },
      ...{
        /**
         * Name that a visitor gives.
         */
        user: string;
        /**
         * Password of the user. Stored as a hash, never returned; absent: it stays as it is.
         */
        password?: string;
      }[],
    ];
    /**
     * Exact paths that need no password, such as that of a webhook.
     *
     * @maxItems 20
     */
    openPaths?: string[];
  } | null;
  /**
   * Answers 503 with a page instead of the app; absent or null: not.
   */
  maintenance?: {
    /**
     * Names of the service that the rule applies to; absent: all, also those that are added later.
     *
     * @minItems 1
     * @maxItems 100
     */
    domains?: [string, ...string[]];
    /**
     * Value of `Retry-After`; absent: 300.
     */
    retryAfterSeconds?: number;
    /**
     * Addresses and networks whose visitors still reach the app.
     *
     * @maxItems 100
     */
    allowedAddresses?: string[];
  } | null;
  /**
   * Changes of the headers that the app gets.
   *
   * @maxItems 10
   */
  requestHeaders?: {
    /**
     * `set` replaces a header, `add` adds another one with this name.
     */
    change: 'set' | 'add' | 'remove';
    /**
     * Name of the header.
     */
    header: string;
    /**
     * Its value; absent for `remove`.
     */
    content?: string;
  }[];
  /**
   * Changes of the headers that visitors get.
   *
   * @maxItems 10
   */
  responseHeaders?: {
    /**
     * `set` replaces a header, `add` adds another one with this name.
     */
    change: 'set' | 'add' | 'remove';
    /**
     * Name of the header.
     */
    header: string;
    /**
     * Its value; absent for `remove`.
     */
    content?: string;
  }[];
  /**
   * Largest body of a request, in megabytes of 1,000,000 bytes; absent or null: no limit.
   */
  maxBodyMegabytes?: (1 | 2 | 5 | 10 | 20 | 50 | 100 | 200 | 500 | 1000) | null;
  /**
   * How long the app may take until the first byte of its answer, in seconds; absent or null: no limit.
   */
  firstByteTimeoutSeconds?: (5 | 10 | 30 | 60 | 120 | 300) | null;
  /**
   * How long the app may send nothing, in seconds, before its answer, event stream or WebSocket is ended; absent or null: no limit. Not for uploads of 1 MB or more.
   */
  idleTimeoutSeconds?: (10 | 60 | 600) | null;
  /**
   * Requests are lines of the runtime log, of the stream `access`; absent or null: they are not.
   */
  accessLog?: {
    /**
     * Part of the requests that is written; absent: 1, all.
     */
    sample?: number;
  } | null;
}
export interface PutServiceTrafficRulesReply {
  /**
   * All rules of the service, as a body that sets them again.
   */
  rules: {
    /**
     * The first one that matches applies.
     *
     * @maxItems 50
     */
    redirects?: {
      /**
       * Names of the service that the rule applies to; absent: all, also those that are added later.
       *
       * @minItems 1
       * @maxItems 100
       */
      domains?: [string, ...string[]];
      /**
       * The path that is redirected; absent: all.
       */
      fromPath?: string;
      /**
       * Whether `fromPath` is one path, or also all paths below it (`prefix`, the default).
       */
      match?: 'exact' | 'prefix';
      /**
       * Where it leads: a URL, or a path of the same name. The query is kept.
       */
      to: string;
      /**
       * Whether browsers and search engines may remember it: 308; otherwise 307, the default.
       */
      permanent?: boolean;
      /**
       * Whether the path behind a prefix is appended; absent: yes.
       */
      keepPath?: boolean;
    }[];
    /**
     * Asks visitors for a password; absent or null: none.
     */
    basicAuth?: {
      /**
       * Names of the service that the rule applies to; absent: all, also those that are added later.
       *
       * @minItems 1
       * @maxItems 100
       */
      domains?: [string, ...string[]];
      /**
       * Who may enter.
       *
       * @minItems 1
       * @maxItems 10
       */
      users: [
        {
          /**
           * Name that a visitor gives.
           */
          user: string;
          /**
           * Password of the user. Stored as a hash, never returned; absent: it stays as it is.
           */
          password?: string;
        },
        ...{
          /**
           * Name that a visitor gives.
           */
          user: string;
          /**
           * Password of the user. Stored as a hash, never returned; absent: it stays as it is.
           */
          password?: string;
        }[],
      ];
      /**
       * Exact paths that need no password, such as that of a webhook.
       *
       * @maxItems 20
       */
      openPaths?: string[];
    } | null;
    /**
     * Answers 503 with a page instead of the app; absent or null: not.
     */
    maintenance?: {
      /**
       * Names of the service that the rule applies to; absent: all, also those that are added later.
       *
       * @minItems 1
       * @maxItems 100
       */
      domains?: [string, ...string[]];
      /**
       * Value of `Retry-After`; absent: 300.
       */
      retryAfterSeconds?: number;
      /**
       * Addresses and networks whose visitors still reach the app.
       *
       * @maxItems 100
       */
      allowedAddresses?: string[];
    } | null;
    /**
     * Changes of the headers that the app gets.
     *
     * @maxItems 10
     */
    requestHeaders?: {
      /**
       * `set` replaces a header, `add` adds another one with this name.
       */
      change: 'set' | 'add' | 'remove';
      /**
       * Name of the header.
       */
      header: string;
      /**
       * Its value; absent for `remove`.
       */
      content?: string;
    }[];
    /**
     * Changes of the headers that visitors get.
     *
     * @maxItems 10
     */
    responseHeaders?: {
      /**
       * `set` replaces a header, `add` adds another one with this name.
       */
      change: 'set' | 'add' | 'remove';
      /**
       * Name of the header.
       */
      header: string;
      /**
       * Its value; absent for `remove`.
       */
      content?: string;
    }[];
    /**
     * Largest body of a request, in megabytes of 1,000,000 bytes; absent or null: no limit.
     */
    maxBodyMegabytes?: (1 | 2 | 5 | 10 | 20 | 50 | 100 | 200 | 500 | 1000) | null;
    /**
     * How long the app may take until the first byte of its answer, in seconds; absent or null: no limit.
     */
    firstByteTimeoutSeconds?: (5 | 10 | 30 | 60 | 120 | 300) | null;
    /**
     * How long the app may send nothing, in seconds, before its answer, event stream or WebSocket is ended; absent or null: no limit. Not for uploads of 1 MB or more.
     */
    idleTimeoutSeconds?: (10 | 60 | 600) | null;
    /**
     * Requests are lines of the runtime log, of the stream `access`; absent or null: they are not.
     */
    accessLog?: {
      /**
       * Part of the requests that is written; absent: 1, all.
       */
      sample?: number;
    } | null;
  };
  /**
   * Result of a real request through the host's proxy; with `ok: false` the change still holds.
   */
  proxy: {
    /**
     * Whether it succeeded.
     */
    ok: boolean;
    /**
     * What happened or what it waits for, as a sentence.
     */
    detail: string;
  };
}
export interface PostServiceDeploymentsBody {
  /**
   * The uploaded folder to build; absent: the one that was deployed last.
   */
  uploadId?: string;
  /**
   * Commit id, tag or branch of the repository to deploy; absent: the service's branch.
   */
  ref?: string;
  /**
   * The commit to deploy exactly; of an uploaded folder, the commit that it comes from.
   */
  commitSha?: string;
  /**
   * A line about the version of an uploaded folder or an image.
   */
  commitMessage?: string;
}
export interface PostServiceDeploymentsReply {
  deployment: Deployment;
  /**
   * `overlap`: the old version answers until the new one does. `stop-start`: it stops before the new one starts.
   */
  switch: 'overlap' | 'stop-start';
}
export interface GetServiceDeploymentsReply {
  /**
   * The deployments, newest first.
   */
  deployments: Deployment[];
  /**
   * `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string;
}
export interface GetDeploymentReply {
  deployment: Deployment;
}
export interface PostDeploymentAbortReply {
  /**
   * The abort was passed on.
   */
  accepted: true;
}
export interface GetDeploymentLogsReply {
  /**
   * Lines, oldest first.
   */
  logs: LogEntry[];
}
export interface LogEntry {
  /**
   * Place of the line in the log: later lines have greater numbers.
   */
  id: number;
  /**
   * The deployment that it belongs to.
   */
  deploymentId: string;
  /**
   * Text of the line, with secrets masked.
   */
  line: string;
  /**
   * `system` lines are from the platform.
   */
  stream: 'stdout' | 'stderr' | 'system';
  /**
   * When it was created.
   */
  createdAt: string;
}
export interface PostDeploymentExplainFailureBody {
  /**
   * Id of a connected provider.
   */
  providerId?: string;
  /**
   * Name of the provider's model; absent: its default.
   */
  model?: string;
  /**
   * What the commands call this API with: `longshore`, the command line; absent: `curl`.
   */
  tool?: 'curl' | 'longshore';
}
export interface PostDeploymentExplainFailureReply {
  /**
   * Why it failed and what to do.
   */
  explanation: {
    /**
     * One sentence.
     */
    summary: string;
    /**
     * The most probable reason.
     */
    likelyCause: string;
    /**
     * What to change.
     */
    suggestedFix: string;
    /**
     * Commands that help.
     */
    commands: string[];
    /**
     * Those of the commands that the platform can do, as data for buttons; the last one applies the change. They are always from the built-in rules.
     */
    actions: (
      | {
          /**
           * Set this variable of the service.
           */
          kind: 'set-variable';
          /**
           * Its key.
           */
          key: string;
          /**
           * A proposal, in which texts like `<version>` are to be filled in; null: only the user knows it.
           */
          value: string | null;
        }
      | {
          /**
           * Change this setting of the service.
           */
          kind: 'setting';
          /**
           * Its name, as in a PATCH of the service.
           */
          field: string;
          /**
           * A proposal, in which texts like `<token>` are to be filled in; null clears the setting.
           */
          value: string | number | null;
        }
      | {
          /**
           * Deploy the service again.
           */
          kind: 'deploy';
        }
      | {
          /**
           * Send the folder of the service again, by `longshore up`.
           */
          kind: 'send-folder';
        }
      | {
          /**
           * Restart the service, with its present settings and variables.
           */
          kind: 'restart';
        }
      | {
          /**
           * Roll back to this deployment.
           */
          kind: 'rollback';
          /**
           * The deployment that it belongs to.
           */
          deploymentId: string;
        }
      | {
          /**
           * Run the failed command again.
           */
          kind: 'run-again';
          /**
           * The command.
           */
          command: string;
          /**
           * `new`: a new container of the live image, with current variables and without volumes. `live`: the one that runs, with its volumes.
           */
          container: 'new' | 'live';
        }
      | {
          /**
           * Read the log.
           */
          kind: 'open-logs';
          /**
           * Whose log it is: `app` is what the live version prints.
           */
          of: 'deployment' | 'run' | 'app';
          /**
           * Id of the deployment or command; null: the app.
           */
          id: string | null;
        }
      | {
          /**
           * Look at the variables of the service.
           */
          kind: 'open-variables';
        }
      | {
          /**
           * Look at the other services of the project.
           */
          kind: 'open-project';
        }
      | {
          /**
           * Give the service access to where it fetches from.
           */
          kind: 'connect';
          /**
           * `git-host`, `registry`: store a login. `new-deploy-key`: make a deploy key, and add it at the git host. `deploy-key`: add the present one there.
           */
          to: 'git-host' | 'registry' | 'deploy-key' | 'new-deploy-key';
          /**
           * The git host; null: not known.
           */
          host: string | null;
          /**
           * The stored credential to renew; null: a new one.
           */
          credentialId: string | null;
        }
    )[];
    /**
     * The ten lines around the error; empty if there is no log.
     */
    lines: {
      /**
       * Its id in the log; null for the last lines of a crash.
       */
      number: number | null;
      /**
       * The line, without colours.
       */
      text: string;
      /**
       * Whether this line says the error.
       */
      isError: boolean;
    }[];
    /**
     * The version that answers now; null: nothing does.
     */
    serving: {
      /**
       * The deployment that it belongs to.
       */
      deploymentId: string;
      /**
       * Its commit; null: not from a repository.
       */
      commit: string | null;
      /**
       * Since when it is live.
       */
      since: string;
    } | null;
  };
  /**
   * The source of the explanation: an AI provider, or the built-in rules.
   */
  provider: {
    /**
     * Id of the AI provider; `builtin`: the built-in rules.
     */
    id: string;
    /**
     * Name of the provider's model; absent: its default.
     */
    model: string | null;
    /**
     * Why the rules answered in place of the model; null if they did not.
     */
    fallbackReason: string | null;
  };
  /**
   * Id of the AI provider that explains a request without `providerId`; null: none, or the key may not ask it.
   */
  askable: string | null;
}
export interface GetDeploymentComparisonReply {
  /**
   * What differs.
   */
  comparison: {
    /**
     * The deployment that is compared with; null: none was live before.
     */
    before: Deployment | null;
    after: Deployment;
    /**
     * Whether both run the image of one build, as after a restart or rollback.
     */
    isSameImage: boolean;
    /**
     * Settings with another value; null: what one of them started with is not stored.
     */
    settings:
      | {
          /**
           * Name, for people. It can be changed.
           */
          name: string;
          /**
           * Value in the earlier one, as text; null: it is not set.
           */
          before: string | null;
          /**
           * Value in the later one, as text; null: it is not set.
           */
          after: string | null;
        }[]
      | null;
    /**
     * Keys of variables, never their values; null: what one of them started with is not stored.
     */
    variables: {
      /**
       * Only the later one has them.
       */
      added: string[];
      /**
       * Both have them, otherwise.
       */
      changed: string[];
      /**
       * Only the earlier one has them.
       */
      removed: string[];
    } | null;
    /**
     * Paths of mounted files; null: what one of them started with is not stored.
     */
    files: {
      /**
       * Only the later one has them.
       */
      added: string[];
      /**
       * Both have them, otherwise.
       */
      changed: string[];
      /**
       * Only the earlier one has them.
       */
      removed: string[];
    } | null;
    /**
     * How long each phase took.
     */
    phases: {
      /**
       * Name of the phase, in the order of the log.
       */
      phase: string;
      /**
       * Seconds that it took in the earlier one; null: it did not end, or its log was removed.
       */
      beforeSeconds: number | null;
      /**
       * Seconds that it took in the later one; null: it did not end, or its log was removed.
       */
      afterSeconds: number | null;
    }[];
  };
}
export interface PostServiceRestartReply {
  deployment: Deployment;
  /**
   * What happened or what it waits for, as a sentence.
   */
  detail: string;
  /**
   * `overlap`: the old version answers until the new one does. `stop-start`: it stops before the new one starts.
   */
  switch: 'overlap' | 'stop-start';
}
export interface PostServiceStopReply {
  service: Service;
  /**
   * Result of a real request through the host's proxy; with `ok: false` the change still holds.
   */
  proxy: {
    /**
     * Whether it succeeded.
     */
    ok: boolean;
    /**
     * What happened or what it waits for, as a sentence.
     */
    detail: string;
  };
}
export interface GetServiceImageUpdateReply {
  /**
   * The image and its update.
   */
  imageUpdate: {
    /**
     * `off`: the setting is null; `unknown`: the registry has not answered yet; `current`: nothing to deploy; `available`: a new digest waits; `backup`, `deploy` or `restore`: the step of the update that is under way.
     */
    state: 'off' | 'unknown' | 'current' | 'available' | 'backup' | 'deploy' | 'restore';
    /**
     * The state as a sentence.
     */
    summary: string;
    /**
     * Digest of the live version; null: not known.
     */
    liveDigest: string | null;
    /**
     * Digest that the tag has at its registry; null: not known.
     */
    digest: string | null;
    /**
     * When the tag was first seen with it.
     */
    seenAt: string | null;
    /**
     * The earliest time at which it deploys by itself; null: it does not.
     */
    deploysAt: string | null;
    /**
     * When the registry answered last.
     */
    checkedAt: string | null;
    /**
     * Why the registry gave no answer; null: it did.
     */
    trouble: string | null;
    /**
     * How the last update ended; null: there was none.
     */
    outcome: {
      /**
       * A digest that `failed` is not tried again; one that was `postponed` is.
       */
      result: 'deployed' | 'failed' | 'postponed';
      /**
       * The digest that was to be deployed.
       */
      digest: string;
      /**
       * What happened, as a sentence.
       */
      detail: string;
      /**
       * When it ended.
       */
      at: string;
    } | null;
  };
}
export interface PostServiceUploadsBody {
  /**
   * Size in bytes.
   */
  sizeBytes: number;
  /**
   * `sha256:` and the hexadecimal digest of the file.
   */
  checksum: string;
}
export interface PostServiceUploadsReply {
  upload: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Size in bytes.
     */
    sizeBytes: number;
    /**
     * `sha256:` and the hexadecimal digest of the file.
     */
    checksum: string;
    /**
     * Size of every part but the last, in bytes.
     */
    partBytes: number;
    /**
     * How many parts there are.
     */
    parts: number;
    /**
     * When a deployment last built it; null: never. The last three are kept.
     */
    lastDeployedAt: string | null;
    /**
     * When it expires.
     */
    expiresAt: string | null;
    /**
     * Numbers of the parts that are missing.
     */
    missing: number[];
  };
}
export interface GetServiceUploadsReply {
  uploads: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Size in bytes.
     */
    sizeBytes: number;
    /**
     * `sha256:` and the hexadecimal digest of the file.
     */
    checksum: string;
    /**
     * Size of every part but the last, in bytes.
     */
    partBytes: number;
    /**
     * How many parts there are.
     */
    parts: number;
    /**
     * When a deployment last built it; null: never. The last three are kept.
     */
    lastDeployedAt: string | null;
    /**
     * When it expires.
     */
    expiresAt: string | null;
  }[];
}
export interface GetServiceUploadReply {
  upload: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Size in bytes.
     */
    sizeBytes: number;
    /**
     * `sha256:` and the hexadecimal digest of the file.
     */
    checksum: string;
    /**
     * Size of every part but the last, in bytes.
     */
    partBytes: number;
    /**
     * How many parts there are.
     */
    parts: number;
    /**
     * When a deployment last built it; null: never. The last three are kept.
     */
    lastDeployedAt: string | null;
    /**
     * When it expires.
     */
    expiresAt: string | null;
    /**
     * Numbers of the parts that are missing.
     */
    missing: number[];
  };
}
export interface PutServiceUploadReply {
  /**
   * The change was made.
   */
  ok: true;
}
export interface PostServiceRunBody {
  /**
   * The command to run.
   */
  command: string;
  /**
   * Seconds after which it is ended.
   */
  timeLimitSeconds?: number;
  /**
   * `new`: a new container of the live image, with current variables and without volumes. `live`: the one that runs, with its volumes.
   */
  container?: 'new' | 'live';
}
export interface PostServiceRunReply {
  /**
   * The command that runs once; of an occurrence: null if it was skipped.
   */
  run: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * The service that it belongs to.
     */
    serviceId: string;
    /**
     * The schedule that has started the command; null: a client.
     */
    scheduleId: string | null;
    /**
     * The command to run.
     */
    command: string;
    /**
     * Seconds after which it is ended.
     */
    timeLimitSeconds: number;
    /**
     * `new`: a new container of the live image, with current variables and without volumes. `live`: the one that runs, with its volumes.
     */
    container: 'new' | 'live';
    /**
     * Who started it; null if that was not recorded yet.
     */
    startedBy: {
      /**
       * `push`: a git host reported a push; `schedule`: a schedule of commands or backups; `platform`: the platform itself.
       */
      type: 'member' | 'key' | 'operator' | 'push' | 'schedule' | 'platform';
      /**
       * Id of the member, the key, the operator's session or the schedule; null: there is none.
       */
      id: string | null;
      /**
       * Name at that time of the member, the key, the schedule or the author of the push; null: not known.
       */
      name: string | null;
    } | null;
    /**
     * State, one of a closed set.
     */
    status: 'queued' | 'running' | 'succeeded' | 'failed' | 'aborted';
    /**
     * Exit code of the command; null until it has ended by itself.
     */
    exitCode: number | null;
    /**
     * Why it did not succeed.
     */
    error: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it started; null until then.
     */
    startedAt: string | null;
    /**
     * When it ended; null until then.
     */
    finishedAt: string | null;
  };
}
export interface GetServiceRunsReply {
  /**
   * The commands, newest first.
   */
  runs: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * The service that it belongs to.
     */
    serviceId: string;
    /**
     * The schedule that has started the command; null: a client.
     */
    scheduleId: string | null;
    /**
     * The command to run.
     */
    command: string;
    /**
     * Seconds after which it is ended.
     */
    timeLimitSeconds: number;
    /**
     * `new`: a new container of the live image, with current variables and without volumes. `live`: the one that runs, with its volumes.
     */
    container: 'new' | 'live';
    /**
     * Who started it; null if that was not recorded yet.
     */
    startedBy: {
      /**
       * `push`: a git host reported a push; `schedule`: a schedule of commands or backups; `platform`: the platform itself.
       */
      type: 'member' | 'key' | 'operator' | 'push' | 'schedule' | 'platform';
      /**
       * Id of the member, the key, the operator's session or the schedule; null: there is none.
       */
      id: string | null;
      /**
       * Name at that time of the member, the key, the schedule or the author of the push; null: not known.
       */
      name: string | null;
    } | null;
    /**
     * State, one of a closed set.
     */
    status: 'queued' | 'running' | 'succeeded' | 'failed' | 'aborted';
    /**
     * Exit code of the command; null until it has ended by itself.
     */
    exitCode: number | null;
    /**
     * Why it did not succeed.
     */
    error: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it started; null until then.
     */
    startedAt: string | null;
    /**
     * When it ended; null until then.
     */
    finishedAt: string | null;
  }[];
  /**
   * `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string;
}
export interface PostServiceRunAbortReply {
  /**
   * The abort was passed on.
   */
  accepted: true;
}
export interface GetServiceRunLogsReply {
  /**
   * Lines, oldest first.
   */
  logs: LogEntry[];
}
export interface GetServiceSchedulesReply {
  /**
   * The schedules, in order of creation.
   */
  schedules: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * The service that it belongs to.
     */
    serviceId: string;
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * Minute, hour, day of the month, month, day of the week.
     */
    cron: string;
    /**
     * The times in English; null for a rare form of expression that has no words.
     */
    inWords: string | null;
    /**
     * IANA time zone of `cron`.
     */
    timeZone: string;
    /**
     * The command to run.
     */
    command: string;
    /**
     * Seconds after which it is ended.
     */
    timeLimitSeconds: number;
    /**
     * `new`: a new container of the live image, with current variables and without volumes. `live`: the one that runs, with its volumes.
     */
    container: 'new' | 'live';
    /**
     * If the previous command has not ended: skip the occurrence, or wait for the end.
     */
    overlap: 'skip' | 'wait';
    /**
     * Whether it runs at its times.
     */
    enabled: boolean;
    /**
     * The next occurrence; null: disabled.
     */
    nextRunAt: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
    /**
     * What became of the newest time, also of a start by hand; null: none has come yet.
     */
    lastOccurrence: {
      /**
       * When it was due.
       */
      dueAt: string;
      /**
       * The command that runs once; of an occurrence: null if it was skipped.
       */
      run: {
        /**
         * Identifier: a prefix of its kind and 16 characters. It never changes.
         */
        id: string;
        /**
         * The service that it belongs to.
         */
        serviceId: string;
        /**
         * The schedule that has started the command; null: a client.
         */
        scheduleId: string | null;
        /**
         * The command to run.
         */
        command: string;
        /**
         * Seconds after which it is ended.
         */
        timeLimitSeconds: number;
        /**
         * `new`: a new container of the live image, with current variables and without volumes. `live`: the one that runs, with its volumes.
         */
        container: 'new' | 'live';
        /**
         * Who started it; null if that was not recorded yet.
         */
        startedBy: {
          /**
           * `push`: a git host reported a push; `schedule`: a schedule of commands or backups; `platform`: the platform itself.
           */
          type: 'member' | 'key' | 'operator' | 'push' | 'schedule' | 'platform';
          /**
           * Id of the member, the key, the operator's session or the schedule; null: there is none.
           */
          id: string | null;
          /**
           * Name at that time of the member, the key, the schedule or the author of the push; null: not known.
           */
          name: string | null;
        } | null;
        /**
         * State, one of a closed set.
         */
        status: 'queued' | 'running' | 'succeeded' | 'failed' | 'aborted';
        /**
         * Exit code of the command; null until it has ended by itself.
         */
        exitCode: number | null;
        /**
         * Why it did not succeed.
         */
        error: string | null;
        /**
         * When it was created.
         */
        createdAt: string;
        /**
         * When it started; null until then.
         */
        startedAt: string | null;
        /**
         * When it ended; null until then.
         */
        finishedAt: string | null;
      } | null;
      /**
       * Why it was skipped.
       */
      reason: string | null;
      /**
       * Occurrences before it that were not started, because the control plane was down.
       */
      missed: number;
    } | null;
  }[];
}
export interface PostServiceSchedulesBody {
  /**
   * Name, for people. It can be changed.
   */
  name: string;
  /**
   * Minute, hour, day of the month, month, day of the week.
   */
  cron: string;
  /**
   * IANA time zone of `cron`.
   */
  timeZone?: string;
  /**
   * The command to run.
   */
  command: string;
  /**
   * Seconds after which it is ended.
   */
  timeLimitSeconds?: number;
  /**
   * `new`: a new container of the live image, with current variables and without volumes. `live`: the one that runs, with its volumes.
   */
  container?: 'new' | 'live';
  /**
   * If the previous command has not ended: skip the occurrence, or wait for the end.
   */
  overlap?: 'skip' | 'wait';
  /**
   * Whether it runs at its times.
   */
  enabled?: boolean;
}
export interface PostServiceSchedulesReply {
  schedule: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * The service that it belongs to.
     */
    serviceId: string;
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * Minute, hour, day of the month, month, day of the week.
     */
    cron: string;
    /**
     * The times in English; null for a rare form of expression that has no words.
     */
    inWords: string | null;
    /**
     * IANA time zone of `cron`.
     */
    timeZone: string;
    /**
     * The command to run.
     */
    command: string;
    /**
     * Seconds after which it is ended.
     */
    timeLimitSeconds: number;
    /**
     * `new`: a new container of the live image, with current variables and without volumes. `live`: the one that runs, with its volumes.
     */
    container: 'new' | 'live';
    /**
     * If the previous command has not ended: skip the occurrence, or wait for the end.
     */
    overlap: 'skip' | 'wait';
    /**
     * Whether it runs at its times.
     */
    enabled: boolean;
    /**
     * The next occurrence; null: disabled.
     */
    nextRunAt: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
  };
}
export interface PatchServiceScheduleBody {
  /**
   * Name, for people. It can be changed.
   */
  name?: string;
  /**
   * Minute, hour, day of the month, month, day of the week.
   */
  cron?: string;
  /**
   * IANA time zone of `cron`.
   */
  timeZone?: string;
  /**
   * The command to run.
   */
  command?: string;
  /**
   * Seconds after which it is ended.
   */
  timeLimitSeconds?: number;
  /**
   * `new`: a new container of the live image, with current variables and without volumes. `live`: the one that runs, with its volumes.
   */
  container?: 'new' | 'live';
  /**
   * If the previous command has not ended: skip the occurrence, or wait for the end.
   */
  overlap?: 'skip' | 'wait';
  /**
   * Whether it runs at its times.
   */
  enabled?: boolean;
}
export interface DeleteServiceScheduleReply {
  /**
   * The change was made.
   */
  ok: true;
}
export interface PostServiceScheduleRunReply {
  /**
   * The command that runs once; of an occurrence: null if it was skipped.
   */
  run: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * The service that it belongs to.
     */
    serviceId: string;
    /**
     * The schedule that has started the command; null: a client.
     */
    scheduleId: string | null;
    /**
     * The command to run.
     */
    command: string;
    /**
     * Seconds after which it is ended.
     */
    timeLimitSeconds: number;
    /**
     * `new`: a new container of the live image, with current variables and without volumes. `live`: the one that runs, with its volumes.
     */
    container: 'new' | 'live';
    /**
     * Who started it; null if that was not recorded yet.
     */
    startedBy: {
      /**
       * `push`: a git host reported a push; `schedule`: a schedule of commands or backups; `platform`: the platform itself.
       */
      type: 'member' | 'key' | 'operator' | 'push' | 'schedule' | 'platform';
      /**
       * Id of the member, the key, the operator's session or the schedule; null: there is none.
       */
      id: string | null;
      /**
       * Name at that time of the member, the key, the schedule or the author of the push; null: not known.
       */
      name: string | null;
    } | null;
    /**
     * State, one of a closed set.
     */
    status: 'queued' | 'running' | 'succeeded' | 'failed' | 'aborted';
    /**
     * Exit code of the command; null until it has ended by itself.
     */
    exitCode: number | null;
    /**
     * Why it did not succeed.
     */
    error: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it started; null until then.
     */
    startedAt: string | null;
    /**
     * When it ended; null until then.
     */
    finishedAt: string | null;
  };
}
export interface GetServiceScheduleOccurrencesReply {
  /**
   * The times at which it was due, and what happened at each; newest first.
   */
  occurrences: {
    /**
     * When it was due.
     */
    dueAt: string;
    /**
     * The command that runs once; of an occurrence: null if it was skipped.
     */
    run: {
      /**
       * Identifier: a prefix of its kind and 16 characters. It never changes.
       */
      id: string;
      /**
       * The service that it belongs to.
       */
      serviceId: string;
      /**
       * The schedule that has started the command; null: a client.
       */
      scheduleId: string | null;
      /**
       * The command to run.
       */
      command: string;
      /**
       * Seconds after which it is ended.
       */
      timeLimitSeconds: number;
      /**
       * `new`: a new container of the live image, with current variables and without volumes. `live`: the one that runs, with its volumes.
       */
      container: 'new' | 'live';
      /**
       * Who started it; null if that was not recorded yet.
       */
      startedBy: {
        /**
         * `push`: a git host reported a push; `schedule`: a schedule of commands or backups; `platform`: the platform itself.
         */
        type: 'member' | 'key' | 'operator' | 'push' | 'schedule' | 'platform';
        /**
         * Id of the member, the key, the operator's session or the schedule; null: there is none.
         */
        id: string | null;
        /**
         * Name at that time of the member, the key, the schedule or the author of the push; null: not known.
         */
        name: string | null;
      } | null;
      /**
       * State, one of a closed set.
       */
      status: 'queued' | 'running' | 'succeeded' | 'failed' | 'aborted';
      /**
       * Exit code of the command; null until it has ended by itself.
       */
      exitCode: number | null;
      /**
       * Why it did not succeed.
       */
      error: string | null;
      /**
       * When it was created.
       */
      createdAt: string;
      /**
       * When it started; null until then.
       */
      startedAt: string | null;
      /**
       * When it ended; null until then.
       */
      finishedAt: string | null;
    } | null;
    /**
     * Why it was skipped.
     */
    reason: string | null;
    /**
     * Occurrences before it that were not started, because the control plane was down.
     */
    missed: number;
  }[];
  /**
   * `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string;
}
export interface GetSchedulePreviewReply {
  /**
   * Minute, hour, day of the month, month, day of the week.
   */
  cron: string;
  /**
   * IANA time zone of `cron`.
   */
  timeZone: string;
  /**
   * The times in English; null for a rare form of expression that has no words.
   */
  inWords: string | null;
  /**
   * At most five.
   */
  nextRunsAt: string[];
}
export interface PostServiceShellsBody {
  /**
   * `live`: the one that runs. `new`: another one of the live image, which ends with the shell.
   */
  container?: 'new' | 'live';
  /**
   * Of a service: arguments in place of the image's own. Otherwise the command to run.
   *
   * @minItems 1
   * @maxItems 100
   */
  command?: [string, ...string[]];
  /**
   * The terminal that the command gets; absent: none, and output and errors stay apart.
   */
  terminal?: {
    /**
     * Width in characters.
     */
    columns: number;
    /**
     * Height in characters.
     */
    rows: number;
    /**
     * Value of the variable TERM.
     */
    type?: string;
  };
}
export interface PostServiceShellsReply {
  shell: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * The service that it belongs to.
     */
    serviceId: string;
    /**
     * Name of the container.
     */
    container: string;
    /**
     * Where to connect by a WebSocket.
     */
    connectPath: string;
    /**
     * The first subprotocol of the WebSocket.
     */
    protocol: string;
  };
  /**
   * Connects the client to this session, once, within 30 s: the second subprotocol of the WebSocket.
   */
  ticket: string;
}
export interface PostServiceWebhookReply {
  /**
   * The webhook; null: none.
   */
  webhook: {
    /**
     * Its address.
     */
    url: string;
    /**
     * Signs the requests of the git host.
     */
    secret: string;
    /**
     * Events that the git host has to send.
     */
    events: string[];
  };
}
export interface GetServiceWebhookReply {
  /**
   * The webhook; null: none.
   */
  webhook: {
    /**
     * Its address.
     */
    url: string;
    /**
     * When it was created.
     */
    createdAt: string;
  } | null;
}
export interface DeleteServiceWebhookReply {
  /**
   * The change was made.
   */
  ok: true;
}
export interface GetServiceAwaitedPushReply {
  /**
   * The newest push that waits for the checks of its commit, or that they keep from being deployed (setting `waitForChecks`); null: there is none.
   */
  awaitedPush: {
    /**
     * The commit.
     */
    commitSha: string;
    /**
     * First line of its message; null if the git host did not send it.
     */
    commitMessage: string | null;
    /**
     * Branch of the push.
     */
    branch: string;
    /**
     * Who started it; null if that was not recorded yet.
     */
    startedBy: {
      /**
       * `push`: a git host reported a push; `schedule`: a schedule of commands or backups; `platform`: the platform itself.
       */
      type: 'member' | 'key' | 'operator' | 'push' | 'schedule' | 'platform';
      /**
       * Id of the member, the key, the operator's session or the schedule; null: there is none.
       */
      id: string | null;
      /**
       * Name at that time of the member, the key, the schedule or the author of the push; null: not known.
       */
      name: string | null;
    } | null;
    /**
     * `waiting`: for its checks. `failed`: a check is red; if it turns green within the hour, the push is deployed. `unread`: the checks can not be read. `over`: not deployed, and no longer looked at.
     */
    state: 'waiting' | 'failed' | 'unread' | 'over';
    /**
     * What the last look saw, as a sentence; null before it.
     */
    detail: string | null;
    /**
     * Time of the last look; null before it.
     */
    lookedAt: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
  } | null;
}
export interface DeleteServiceAwaitedPushReply {
  /**
   * The change was made.
   */
  ok: true;
}
export interface GetServiceMetricsReply {
  /**
   * What was measured, in steps of time.
   */
  metrics: {
    /**
     * Begin of the first step.
     */
    from: string;
    /**
     * End of the last step.
     */
    to: string;
    /**
     * Length of each step. Point n is for the step that begins at `from` + n × `stepSeconds`.
     */
    stepSeconds: number;
    /**
     * When something was last measured; null: never.
     */
    lastAt: string | null;
    /**
     * How long ago that was; null: never.
     */
    ageSeconds: number | null;
    /**
     * What may be used; null: no limit, or not known.
     */
    limits: {
      /**
       * Processors.
       */
      cpu: number | null;
      /**
       * Bytes of memory.
       */
      memory: number | null;
      /**
       * Bytes of the disk; null for services.
       */
      disk: number | null;
    };
    /**
     * What the host has: the most that a service without a limit may use.
     */
    host: {
      /**
       * Processors.
       */
      cpu: number;
      /**
       * Bytes of memory.
       */
      memory: number;
    };
    /**
     * The series, in the order of the request.
     */
    series: {
      /**
       * Name of the series.
       */
      name:
        | 'cpu'
        | 'memory'
        | 'networkIn'
        | 'networkOut'
        | 'diskRead'
        | 'diskWrite'
        | 'diskUsed'
        | 'requests'
        | 'errors'
        | 'status2xx'
        | 'status3xx'
        | 'status4xx'
        | 'latencyP50'
        | 'latencyP95'
        | 'latencyP99'
        | 'connections'
        | 'restarts'
        | 'outOfMemory';
      /**
       * Unit of the values. `restarts` and `kills` are counted in each step; all others are rates or levels.
       */
      unit: string;
      /**
       * The mean of each step; a count: its sum. null: not known.
       */
      average: (number | null)[];
      /**
       * The largest part of each step; null: not known.
       */
      maximum: (number | null)[];
    }[];
  };
}
export interface GetMetricsReply {
  /**
   * Begin of the first step.
   */
  from: string;
  /**
   * End of the last step.
   */
  to: string;
  /**
   * Length of each step. Point n is for the step that begins at `from` + n × `stepSeconds`.
   */
  stepSeconds: number;
  /**
   * Services with a value other than zero; the others were idle, or are of a host in `missing`.
   */
  services: {
    /**
     * The service that it belongs to.
     */
    serviceId: string;
    /**
     * The mean of each step, by the name of the series; null: not known.
     */
    values: {
      [k: string]: (number | null)[];
    };
  }[];
  /**
   * Hosts that did not answer.
   */
  missing: {
    /**
     * Name of the host.
     */
    hostName: string;
    /**
     * Why, as a sentence.
     */
    reason: string;
    /**
     * Its services, of which nothing is known now.
     */
    serviceIds: string[];
  }[];
  /**
   * Whether there are more than 2000 services.
   */
  isCut: boolean;
}
export interface RuntimeLogEntry {
  /**
   * Place of the line in the log: later lines have greater numbers.
   */
  id: number;
  /**
   * Text of the line, with secrets masked.
   */
  line: string;
  /**
   * `system` lines are from the platform.
   */
  stream: 'stdout' | 'stderr' | 'system';
  /**
   * When it was created.
   */
  createdAt: string;
  /**
   * Number of the container that printed it, from 1; absent: the service had only one.
   */
  replica?: number;
}
export interface GetServiceRuntimeLogsReply {
  /**
   * The lines that were found, in the order that was asked for.
   */
  logs: KeptLogEntry[];
  /**
   * Where the search goes on, as `cursor`. Absent: everything was searched.
   */
  nextCursor?: string;
  /**
   * Why the search ended: `end` of the log, `lines` (the limit), `size` (512 KB), or what a search may do on a host: `bytes` (64 MB read), `time` (1.5 s).
   */
  stopped: 'end' | 'lines' | 'size' | 'bytes' | 'time';
  /**
   * Bytes of log that were read for this answer.
   */
  scannedBytes: number;
  /**
   * What this answer has searched.
   */
  searched: {
    /**
     * The services that were searched.
     */
    serviceIds: string[];
    /**
     * The hosts of these services.
     */
    hosts: {
      /**
       * The host, which POST /api/system/runners enrolled.
       */
      runnerId: string;
      /**
       * The name of the host.
       */
      hostName: string;
      /**
       * Why the host did not answer, as a sentence: its lines are missing. Absent: it answered.
       */
      reason?: string;
    }[];
    /**
     * From when; null: from the oldest line that the hosts keep.
     */
    since: string | null;
    /**
     * Until when; null: until now.
     */
    until: string | null;
    /**
     * Up to this time everything was searched, in the order that was asked for; null: all of it.
     */
    reached: string | null;
    /**
     * Lines that were compared for this answer.
     */
    lines: number;
  };
  /**
   * When everything else was searched: hosts on which services ran before they moved, in the last 30 days, and that could not be searched: they are not connected. What was printed there is not in the answers. Absent: none.
   */
  earlierHosts?: {
    /**
     * The service that it belongs to.
     */
    serviceId: string;
    /**
     * The host, which POST /api/system/runners enrolled.
     */
    runnerId: string;
    /**
     * The name of the host.
     */
    hostName: string;
  }[];
}
export interface KeptLogEntry {
  /**
   * Place of the line in the log: later lines have greater numbers.
   */
  id: number;
  /**
   * Text of the line, with secrets masked.
   */
  line: string;
  /**
   * `system`: a line of the platform; `access`: a request, as JSON.
   */
  stream: 'stdout' | 'stderr' | 'system' | 'access';
  /**
   * When it was created.
   */
  createdAt: string;
  /**
   * Number of the container that printed it, from 1; absent: the service had only one.
   */
  replica?: number;
  /**
   * The service that it belongs to.
   */
  serviceId: string;
  /**
   * The deployment that it belongs to.
   */
  deploymentId: string | null;
  /**
   * The level that the line names; null: it names none.
   */
  level: ('trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal') | null;
}
export interface GetServiceRuntimeLogsHistogramReply {
  /**
   * Begin of the range.
   */
  since: string;
  /**
   * End of the range.
   */
  until: string;
  /**
   * Length of a part in milliseconds.
   */
  bucketMs: number;
  /**
   * The parts with lines, oldest first.
   */
  buckets: {
    /**
     * Begin of the part.
     */
    at: string;
    /**
     * Lines by level; `none`: the line names no level.
     */
    levels: {
      [k: string]: number;
    };
  }[];
  /**
   * Where the search goes on, as `cursor`. Absent: everything was searched.
   */
  nextCursor?: string;
  /**
   * Why the search ended: `end` of the log, `lines` (the limit), `size` (512 KB), or what a search may do on a host: `bytes` (64 MB read), `time` (1.5 s).
   */
  stopped: 'end' | 'lines' | 'size' | 'bytes' | 'time';
  /**
   * What this answer has searched.
   */
  searched: {
    /**
     * The services that were searched.
     */
    serviceIds: string[];
    /**
     * The hosts of these services.
     */
    hosts: {
      /**
       * The host, which POST /api/system/runners enrolled.
       */
      runnerId: string;
      /**
       * The name of the host.
       */
      hostName: string;
      /**
       * Why the host did not answer, as a sentence: its lines are missing. Absent: it answered.
       */
      reason?: string;
    }[];
    /**
     * From when; null: from the oldest line that the hosts keep.
     */
    since: string | null;
    /**
     * Until when; null: until now.
     */
    until: string | null;
    /**
     * Up to this time everything was searched, in the order that was asked for; null: all of it.
     */
    reached: string | null;
    /**
     * Lines that were compared for this answer.
     */
    lines: number;
  };
}
export interface GetServiceRuntimeLogsAroundReply {
  /**
   * The lines, oldest first, with the line itself if it is still kept.
   */
  logs: KeptLogEntry[];
  /**
   * Whether there are older lines.
   */
  hasBefore: boolean;
  /**
   * Whether there are newer lines.
   */
  hasAfter: boolean;
}
export interface GetServiceRequestsReply {
  /**
   * The requests that were found.
   */
  requests: {
    /**
     * Id of its line: in the order of the log.
     */
    id: number;
    /**
     * When it ended.
     */
    at: string;
    /**
     * Its method.
     */
    method: string;
    /**
     * Its path, at most 500 characters, without the query.
     */
    path: string;
    /**
     * Status of the answer; 0: the visitor left before it.
     */
    status: number;
    /**
     * From the last byte of its headers to the last byte of the answer.
     */
    durationMs: number;
    /**
     * Bytes of the body of the answer.
     */
    bytes: number;
    /**
     * The name that was asked for.
     */
    host: string;
    /**
     * The visitor's network: the first 24 bits of an IPv4 address, 48 of IPv6.
     */
    client: string;
    /**
     * The deployment that was live; null: not known.
     */
    deploymentId: string | null;
  }[];
  /**
   * Null: requests are not written now; the traffic rule `accessLog` switches it on.
   */
  accessLog: {
    /**
     * The share of requests that is written.
     */
    sample: number;
  } | null;
  /**
   * Where the search goes on, as `cursor`. Absent: everything was searched.
   */
  nextCursor?: string;
  /**
   * Why the search ended: `end` of the log, `lines` (the limit), `size` (512 KB), or what a search may do on a host: `bytes` (64 MB read), `time` (1.5 s).
   */
  stopped: 'end' | 'lines' | 'size' | 'bytes' | 'time';
  /**
   * Bytes of log that were read for this answer.
   */
  scannedBytes: number;
  /**
   * When everything else was searched: hosts on which services ran before they moved, in the last 30 days, and that could not be searched: they are not connected. What was printed there is not in the answers. Absent: none.
   */
  earlierHosts?: {
    /**
     * The service that it belongs to.
     */
    serviceId: string;
    /**
     * The host, which POST /api/system/runners enrolled.
     */
    runnerId: string;
    /**
     * The name of the host.
     */
    hostName: string;
  }[];
}
export interface GetProjectLogDrainsReply {
  /**
   * The log drains of the project, in order of creation.
   */
  logDrains: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * The project that it belongs to.
     */
    projectId: string;
    /**
     * Name, for people.
     */
    name: string;
    /**
     * Kind of receiver.
     */
    kind: 'http' | 'otlp' | 'syslog';
    /**
     * The receiver, without path and secrets.
     */
    target: string;
    /**
     * Only lines of this level and of more severe ones; null: all lines.
     */
    level: ('trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal') | null;
    /**
     * Whether lines are sent.
     */
    enabled: boolean;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
  }[];
}
export interface PostProjectLogDrainsBody {
  /**
   * Name, for people.
   */
  name: string;
  /**
   * Only lines of this level and of more severe ones; null: all lines.
   */
  level?: ('trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal') | null;
  /**
   * Whether lines are sent. What is printed meanwhile is not sent later.
   */
  enabled?: boolean;
  /**
   * An address that takes JSON lines (NDJSON), each request signed as a webhook.
   */
  http?: {
    /**
     * Gets the lines.
     */
    url: string;
    /**
     * Headers of each request, such as a token. Stored encrypted, never returned.
     */
    headers?: {
      [k: string]: string;
    };
  };
  /**
   * A receiver of OpenTelemetry: OTLP/HTTP in JSON.
   */
  otlp?: {
    /**
     * The whole address, with its path.
     */
    url: string;
    /**
     * Headers of each request, such as a token. Stored encrypted, never returned.
     */
    headers?: {
      [k: string]: string;
    };
  };
  /**
   * Syslog (RFC 5424) over TCP, with octet counting (RFC 6587).
   */
  syslog?: {
    /**
     * Host name or IP address.
     */
    host: string;
    /**
     * Port.
     */
    port: number;
    /**
     * Whether the connection is encrypted.
     */
    tls?: boolean;
    /**
     * The certificate (PEM) of a private CA that verifies the receiver's; null: the public CAs do.
     */
    ca?: string | null;
  };
}
export interface PostProjectLogDrainsReply {
  /**
   * The log drain.
   */
  logDrain: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * The project that it belongs to.
     */
    projectId: string;
    /**
     * Name, for people.
     */
    name: string;
    /**
     * Kind of receiver.
     */
    kind: 'http' | 'otlp' | 'syslog';
    /**
     * The receiver, without path and secrets.
     */
    target: string;
    /**
     * Only lines of this level and of more severe ones; null: all lines.
     */
    level: ('trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal') | null;
    /**
     * Whether lines are sent.
     */
    enabled: boolean;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
  };
  /**
   * Signs the requests (Standard Webhooks). Shown once, when a drain gets a receiver of the kind `http` or a new secret; otherwise null.
   */
  signingSecret: string | null;
}
export interface PatchLogDrainBody {
  /**
   * Name, for people.
   */
  name?: string;
  /**
   * Only lines of this level and of more severe ones; null: all lines.
   */
  level?: ('trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal') | null;
  /**
   * Whether lines are sent. What is printed meanwhile is not sent later.
   */
  enabled?: boolean;
  /**
   * An address that takes JSON lines (NDJSON), each request signed as a webhook.
   */
  http?: {
    /**
     * Gets the lines.
     */
    url: string;
    /**
     * Headers of each request, such as a token. Stored encrypted, never returned.
     */
    headers?: {
      [k: string]: string;
    };
  };
  /**
   * A receiver of OpenTelemetry: OTLP/HTTP in JSON.
   */
  otlp?: {
    /**
     * The whole address, with its path.
     */
    url: string;
    /**
     * Headers of each request, such as a token. Stored encrypted, never returned.
     */
    headers?: {
      [k: string]: string;
    };
  };
  /**
   * Syslog (RFC 5424) over TCP, with octet counting (RFC 6587).
   */
  syslog?: {
    /**
     * Host name or IP address.
     */
    host: string;
    /**
     * Port.
     */
    port: number;
    /**
     * Whether the connection is encrypted.
     */
    tls?: boolean;
    /**
     * The certificate (PEM) of a private CA that verifies the receiver's; null: the public CAs do.
     */
    ca?: string | null;
  };
  /**
   * Makes a new signing secret, which the answer shows. Those before sign as well, each for a day after it was replaced.
   */
  newSigningSecret?: true;
}
export interface DeleteLogDrainReply {
  /**
   * The change was made.
   */
  ok: true;
}
export interface GetLogDrainStatusReply {
  /**
   * Each host with services of the project sends its own lines.
   */
  hosts: {
    /**
     * The host, which POST /api/system/runners enrolled.
     */
    runnerId: string;
    /**
     * Lines that the receiver took, since the host has the drain.
     */
    sentLines: number;
    /**
     * Lines that were dropped because they waited for more than a day, or took too much space.
     */
    droppedLines: number;
    /**
     * How often the host removed lines unsent because it needed the space. Nobody has counted these lines.
     */
    gaps: number;
    /**
     * How long the oldest line that is not sent has waited, in seconds; 0: nothing waits.
     */
    lagSeconds: number;
    /**
     * When lines were last sent; null: never.
     */
    lastSentAt: string | null;
    /**
     * Why the last attempt failed; null: it did not.
     */
    lastError: string | null;
    /**
     * When an attempt last failed; null: never.
     */
    lastErrorAt: string | null;
    /**
     * Why nothing is known of this host; the numbers are 0 then. null: it has answered.
     */
    trouble: string | null;
  }[];
}
export interface PostLogDrainTestReply {
  result: {
    /**
     * Whether the line was taken.
     */
    ok: boolean;
    /**
     * What came of it, as a sentence.
     */
    detail: string;
    /**
     * Duration in milliseconds.
     */
    durationMs: number;
    /**
     * The host that sent it.
     */
    runnerId: string;
  };
}
export interface GetServiceDatabaseTablesReply {
  /**
   * The database engine.
   */
  engine: 'postgres' | 'timescale' | 'mysql' | 'redis' | 'mongodb' | 'clickhouse';
  tables: {
    /**
     * Id of the table, for the other routes.
     */
    id: string;
    /**
     * Name of the table.
     */
    name: string;
    /**
     * Schema of the table; of MySQL, MongoDB and ClickHouse its database, of Redis the type of the key.
     */
    schema: string;
    /**
     * Rows: an estimate above 100,000; of a statement that changes data, the rows that it changed.
     */
    rowCount: number;
  }[];
  /**
   * Where the page begins: `nextCursor` of the one before. Of Redis keys in an answer: where the next page begins, null on the last one.
   */
  cursor?: string | null;
}
export interface GetServiceDatabaseRowsReply {
  /**
   * The database engine.
   */
  engine: 'postgres' | 'timescale' | 'mysql' | 'redis' | 'mongodb' | 'clickhouse';
  /**
   * Id of the table, as the list of tables has it.
   */
  table: string;
  /**
   * The columns, in order.
   */
  columns: {
    /**
     * Name of the column.
     */
    name: string;
    /**
     * Type of the column.
     */
    type: string;
    /**
     * Whether the column is part of the primary key.
     */
    primary: boolean;
  }[];
  /**
   * The rows.
   */
  rows: {
    [k: string]: unknown;
  }[];
  /**
   * Most rows of an answer.
   */
  limit: number;
  /**
   * Rows to leave out before the first.
   */
  offset: number;
  /**
   * Number of rows in all.
   */
  total: number;
  /**
   * Seconds until the Redis key expires; null: never.
   */
  ttl?: number | null;
}
export interface PostServiceDatabaseQueryBody {
  /**
   * One statement: SQL, a Redis command line or a MongoDB command document.
   */
  sql: string;
  /**
   * Number of the Redis database.
   */
  database?: number;
}
export interface PostServiceDatabaseQueryReply {
  /**
   * The columns, in order.
   */
  columns: {
    /**
     * Name of the column.
     */
    name: string;
    /**
     * Type of the column.
     */
    type: string;
  }[];
  /**
   * The rows.
   */
  rows: {
    [k: string]: unknown;
  }[];
  /**
   * Rows: an estimate above 100,000; of a statement that changes data, the rows that it changed.
   */
  rowCount: number;
  /**
   * Whether more rows exist than were sent.
   */
  truncated: boolean;
  /**
   * Only if `truncated`: which limit cut the answer. `bytes` with no row: the first row alone is larger than 1 MB.
   */
  truncatedBy?: 'rows' | 'bytes';
}
export interface PostServiceDatabaseRowsBody {
  /**
   * Id of the table, as the list of tables has it.
   */
  table: string;
  /**
   * Values by column.
   */
  values: {
    [k: string]: unknown;
  };
}
export interface PostServiceDatabaseRowsReply {
  /**
   * The change was made.
   */
  ok: true;
  /**
   * Id of the table, as the list of tables has it.
   */
  table: string;
  /**
   * Value of the primary key of the new row; null: not known.
   */
  id: string | number | null;
}
export interface PatchServiceDatabaseRowsBody {
  /**
   * Id of the table, as the list of tables has it.
   */
  table: string;
  /**
   * Values of the primary key of one row.
   */
  primaryKey: {
    [k: string]: unknown;
  };
  /**
   * Values by column.
   */
  values: {
    [k: string]: unknown;
  };
}
export interface PatchServiceDatabaseRowsReply {
  /**
   * The change was made.
   */
  ok: true;
}
export interface DeleteServiceDatabaseRowsBody {
  /**
   * Id of the table, as the list of tables has it.
   */
  table: string;
  /**
   * Values of the primary key of one row.
   */
  primaryKey: {
    [k: string]: unknown;
  };
}
export interface GetServiceDatabaseTlsReply {
  /**
   * TLS of the database.
   */
  tls: {
    /**
     * Whether connections can use TLS.
     */
    active: boolean;
    /**
     * Whether the CA's certificate can be downloaded.
     */
    caCertAvailable: boolean;
    /**
     * Host name from outside; empty unless the database is public.
     */
    publicHostname: string;
    /**
     * Port from outside.
     */
    publicPort: number;
  };
}
export interface GetServiceDatabaseUpgradesReply {
  /**
   * The upgrades, newest first.
   */
  upgrades: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * The service that it belongs to.
     */
    serviceId: string;
    /**
     * What was done.
     */
    action: 'dry-run' | 'upgrade' | 'undo';
    /**
     * Image before the upgrade.
     */
    fromImage: string;
    /**
     * Image after the upgrade.
     */
    toImage: string;
    /**
     * State, one of a closed set.
     */
    status: 'running' | 'succeeded' | 'failed';
    /**
     * Who started it; null if that was not recorded yet.
     */
    startedBy: {
      /**
       * `push`: a git host reported a push; `schedule`: a schedule of commands or backups; `platform`: the platform itself.
       */
      type: 'member' | 'key' | 'operator' | 'push' | 'schedule' | 'platform';
      /**
       * Id of the member, the key, the operator's session or the schedule; null: there is none.
       */
      id: string | null;
      /**
       * Name at that time of the member, the key, the schedule or the author of the push; null: not known.
       */
      name: string | null;
    } | null;
    /**
     * The step that runs; null: none.
     */
    phase:
      | (
          | 'clone'
          | 'build'
          | 'start'
          | 'health'
          | 'switch'
          | 'finish'
          | 'dump'
          | 'verify'
          | 'upload'
          | 'fetch'
          | 'safeguard'
          | 'load'
          | 'prove'
          | 'run'
        )
      | null;
    /**
     * How far it is; null when it does not run.
     */
    progress: {
      /**
       * What is done so far.
       */
      done: number;
      /**
       * The whole; null while unknown.
       */
      total: number | null;
      /**
       * What is counted.
       */
      unit: 'bytes' | 'rows' | 'keys';
    } | null;
    /**
     * What is wrong and what to do, as a sentence.
     */
    error: string | null;
    /**
     * The backup of the data before; its `notKept` names what an upgrade would lose. Null: none was taken.
     */
    safetyBackupId: string | null;
    /**
     * The upgrade that this one undoes.
     */
    undoes: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it ended; null until then.
     */
    finishedAt: string | null;
  }[];
  /**
   * Until when it can be undone; null: it can not.
   */
  undoableUntil: string | null;
  /**
   * `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string;
}
export interface PostServiceDatabaseUpgradeBody {
  /**
   * Reference of a container image; of a database, the image instead of the default one.
   */
  imageRef: string;
  /**
   * Whether the upgrade is only tried on a copy.
   */
  dryRun?: boolean;
  /**
   * Go on although a backup would not keep everything.
   */
  acceptNotKept?: boolean;
}
export interface PostServiceDatabaseUpgradeReply {
  upgrade: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * The service that it belongs to.
     */
    serviceId: string;
    /**
     * What was done.
     */
    action: 'dry-run' | 'upgrade' | 'undo';
    /**
     * Image before the upgrade.
     */
    fromImage: string;
    /**
     * Image after the upgrade.
     */
    toImage: string;
    /**
     * State, one of a closed set.
     */
    status: 'running' | 'succeeded' | 'failed';
    /**
     * Who started it; null if that was not recorded yet.
     */
    startedBy: {
      /**
       * `push`: a git host reported a push; `schedule`: a schedule of commands or backups; `platform`: the platform itself.
       */
      type: 'member' | 'key' | 'operator' | 'push' | 'schedule' | 'platform';
      /**
       * Id of the member, the key, the operator's session or the schedule; null: there is none.
       */
      id: string | null;
      /**
       * Name at that time of the member, the key, the schedule or the author of the push; null: not known.
       */
      name: string | null;
    } | null;
    /**
     * The step that runs; null: none.
     */
    phase:
      | (
          | 'clone'
          | 'build'
          | 'start'
          | 'health'
          | 'switch'
          | 'finish'
          | 'dump'
          | 'verify'
          | 'upload'
          | 'fetch'
          | 'safeguard'
          | 'load'
          | 'prove'
          | 'run'
        )
      | null;
    /**
     * How far it is; null when it does not run.
     */
    progress: {
      /**
       * What is done so far.
       */
      done: number;
      /**
       * The whole; null while unknown.
       */
      total: number | null;
      /**
       * What is counted.
       */
      unit: 'bytes' | 'rows' | 'keys';
    } | null;
    /**
     * What is wrong and what to do, as a sentence.
     */
    error: string | null;
    /**
     * The backup of the data before; its `notKept` names what an upgrade would lose. Null: none was taken.
     */
    safetyBackupId: string | null;
    /**
     * The upgrade that this one undoes.
     */
    undoes: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it ended; null until then.
     */
    finishedAt: string | null;
  };
}
export interface PostServiceDatabaseUpgradeAbortReply {
  /**
   * The abort was passed on.
   */
  accepted: true;
}
export interface GetServiceDatabaseBackupsReply {
  /**
   * The backups, newest first.
   */
  backups: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * The service that it belongs to.
     */
    serviceId: string;
    /**
     * The database engine.
     */
    engine: string;
    /**
     * State, one of a closed set.
     */
    status: 'running' | 'succeeded' | 'failed';
    /**
     * What started it.
     */
    trigger: 'manual' | 'daily' | 'weekly' | 'monthly' | 'pre-restore' | 'pre-update' | 'move';
    /**
     * Who started it; null if that was not recorded yet.
     */
    startedBy: {
      /**
       * `push`: a git host reported a push; `schedule`: a schedule of commands or backups; `platform`: the platform itself.
       */
      type: 'member' | 'key' | 'operator' | 'push' | 'schedule' | 'platform';
      /**
       * Id of the member, the key, the operator's session or the schedule; null: there is none.
       */
      id: string | null;
      /**
       * Name at that time of the member, the key, the schedule or the author of the push; null: not known.
       */
      name: string | null;
    } | null;
    /**
     * Where copies are kept: the disk of the host, the bucket, or both.
     */
    storage: 'disk' | 'remote' | 'disk+remote';
    /**
     * Format of the file.
     */
    format: 'custom' | 'sql' | 'rdb' | 'archive' | 'native' | 'tar';
    /**
     * Path of the file on the host; null: no copy there.
     */
    localPath: string | null;
    /**
     * Key of the file in the bucket; null: no copy there.
     */
    remoteKey: string | null;
    /**
     * Size in bytes.
     */
    sizeBytes: number;
    /**
     * `sha256:` and the hexadecimal digest of the file.
     */
    checksum: string;
    /**
     * The key with which the file is encrypted; null: it is not.
     */
    encryptedWith: string | null;
    /**
     * Number of tables.
     */
    tables: number | null;
    /**
     * Number of rows.
     */
    rows: number | null;
    /**
     * Parts of the source that the backup does not contain.
     */
    notKept: string[];
    /**
     * How far it is; null when it does not run.
     */
    progress: {
      /**
       * What is done so far.
       */
      done: number;
      /**
       * The whole; null while unknown.
       */
      total: number | null;
      /**
       * What is counted.
       */
      unit: 'bytes' | 'rows' | 'keys';
    } | null;
    /**
     * What is wrong and what to do, as a sentence.
     */
    error: string | null;
    /**
     * When a test restore last succeeded.
     */
    lastProvenAt: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it started; null until then.
     */
    startedAt: string;
    /**
     * When it ended; null until then.
     */
    finishedAt: string | null;
    /**
     * The newest restore of this backup.
     */
    restore: {
      /**
       * Identifier: a prefix of its kind and 16 characters. It never changes.
       */
      id: string;
      /**
       * The service that it belongs to.
       */
      serviceId: string;
      /**
       * State, one of a closed set.
       */
      state: 'running' | 'succeeded' | 'failed';
      /**
       * How far it is; null when it does not run.
       */
      progress: {
        /**
         * What is done so far.
         */
        done: number;
        /**
         * The whole; null while unknown.
         */
        total: number | null;
        /**
         * What is counted.
         */
        unit: 'bytes' | 'rows' | 'keys';
      } | null;
      /**
       * What is wrong and what to do, as a sentence.
       */
      error: string | null;
      /**
       * Who started it; null if that was not recorded yet.
       */
      startedBy: {
        /**
         * `push`: a git host reported a push; `schedule`: a schedule of commands or backups; `platform`: the platform itself.
         */
        type: 'member' | 'key' | 'operator' | 'push' | 'schedule' | 'platform';
        /**
         * Id of the member, the key, the operator's session or the schedule; null: there is none.
         */
        id: string | null;
        /**
         * Name at that time of the member, the key, the schedule or the author of the push; null: not known.
         */
        name: string | null;
      } | null;
      /**
       * The backup of the replaced data; null if the restore failed before that backup was taken.
       */
      safetyBackupId: string | null;
      /**
       * When it was created.
       */
      createdAt: string;
      /**
       * When it ended; null until then.
       */
      finishedAt: string | null;
    } | null;
    /**
     * The newest test restore of this backup.
     */
    drill: {
      /**
       * Identifier: a prefix of its kind and 16 characters. It never changes.
       */
      id: string;
      /**
       * The backup.
       */
      backupId: string;
      /**
       * What started it.
       */
      trigger: 'manual' | 'weekly';
      /**
       * Who started it; null if that was not recorded yet.
       */
      startedBy: {
        /**
         * `push`: a git host reported a push; `schedule`: a schedule of commands or backups; `platform`: the platform itself.
         */
        type: 'member' | 'key' | 'operator' | 'push' | 'schedule' | 'platform';
        /**
         * Id of the member, the key, the operator's session or the schedule; null: there is none.
         */
        id: string | null;
        /**
         * Name at that time of the member, the key, the schedule or the author of the push; null: not known.
         */
        name: string | null;
      } | null;
      /**
       * State, one of a closed set.
       */
      state: 'running' | 'succeeded' | 'failed' | 'skipped' | 'aborted';
      /**
       * How far it is; null when it does not run.
       */
      progress: {
        /**
         * What is done so far.
         */
        done: number;
        /**
         * The whole; null while unknown.
         */
        total: number | null;
        /**
         * What is counted.
         */
        unit: 'bytes' | 'rows' | 'keys';
      } | null;
      /**
       * What is wrong and what to do, as a sentence.
       */
      error: string | null;
      /**
       * When it was created.
       */
      createdAt: string;
      /**
       * When it ended; null until then.
       */
      finishedAt: string | null;
    } | null;
  }[];
  settings: {
    /**
     * The service that it belongs to.
     */
    serviceId: string;
    /**
     * Where copies are kept: the disk of the host, the bucket, or both.
     */
    storage: 'disk' | 'remote' | 'disk+remote';
    /**
     * Whether backups are scheduled at all.
     */
    automaticEnabled: boolean;
    /**
     * Whether one is taken each day.
     */
    dailyEnabled: boolean;
    /**
     * Whether one is taken each week.
     */
    weeklyEnabled: boolean;
    /**
     * Whether one is taken each month.
     */
    monthlyEnabled: boolean;
    /**
     * The newest test restore of this backup.
     */
    drill: 'weekly' | 'off';
    /**
     * When the next scheduled backup is due; null: none is scheduled.
     */
    nextBackupAt: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
  };
  remote: {
    /**
     * Whether it is connected.
     */
    connected: boolean;
  };
  /**
   * `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string;
}
export interface PostServiceDatabaseBackupsBody {
  /**
   * Where copies are kept: the disk of the host, the bucket, or both.
   */
  storage: 'disk' | 'remote' | 'disk+remote';
}
export interface PostServiceDatabaseBackupsReply {
  backup: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * The service that it belongs to.
     */
    serviceId: string;
    /**
     * The database engine.
     */
    engine: string;
    /**
     * State, one of a closed set.
     */
    status: 'running' | 'succeeded' | 'failed';
    /**
     * What started it.
     */
    trigger: 'manual' | 'daily' | 'weekly' | 'monthly' | 'pre-restore' | 'pre-update' | 'move';
    /**
     * Who started it; null if that was not recorded yet.
     */
    startedBy: {
      /**
       * `push`: a git host reported a push; `schedule`: a schedule of commands or backups; `platform`: the platform itself.
       */
      type: 'member' | 'key' | 'operator' | 'push' | 'schedule' | 'platform';
      /**
       * Id of the member, the key, the operator's session or the schedule; null: there is none.
       */
      id: string | null;
      /**
       * Name at that time of the member, the key, the schedule or the author of the push; null: not known.
       */
      name: string | null;
    } | null;
    /**
     * Where copies are kept: the disk of the host, the bucket, or both.
     */
    storage: 'disk' | 'remote' | 'disk+remote';
    /**
     * Format of the file.
     */
    format: 'custom' | 'sql' | 'rdb' | 'archive' | 'native' | 'tar';
    /**
     * Path of the file on the host; null: no copy there.
     */
    localPath: string | null;
    /**
     * Key of the file in the bucket; null: no copy there.
     */
    remoteKey: string | null;
    /**
     * Size in bytes.
     */
    sizeBytes: number;
    /**
     * `sha256:` and the hexadecimal digest of the file.
     */
    checksum: string;
    /**
     * The key with which the file is encrypted; null: it is not.
     */
    encryptedWith: string | null;
    /**
     * Number of tables.
     */
    tables: number | null;
    /**
     * Number of rows.
     */
    rows: number | null;
    /**
     * Parts of the source that the backup does not contain.
     */
    notKept: string[];
    /**
     * How far it is; null when it does not run.
     */
    progress: {
      /**
       * What is done so far.
       */
      done: number;
      /**
       * The whole; null while unknown.
       */
      total: number | null;
      /**
       * What is counted.
       */
      unit: 'bytes' | 'rows' | 'keys';
    } | null;
    /**
     * What is wrong and what to do, as a sentence.
     */
    error: string | null;
    /**
     * When a test restore last succeeded.
     */
    lastProvenAt: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it started; null until then.
     */
    startedAt: string;
    /**
     * When it ended; null until then.
     */
    finishedAt: string | null;
  };
}
export interface PatchServiceDatabaseBackupsSettingsBody {
  /**
   * Where copies are kept: the disk of the host, the bucket, or both.
   */
  storage?: 'disk' | 'remote' | 'disk+remote';
  /**
   * Whether backups are scheduled at all.
   */
  automaticEnabled?: boolean;
  /**
   * Whether one is taken each day.
   */
  dailyEnabled?: boolean;
  /**
   * Whether one is taken each week.
   */
  weeklyEnabled?: boolean;
  /**
   * Whether one is taken each month.
   */
  monthlyEnabled?: boolean;
  /**
   * The newest test restore of this backup.
   */
  drill?: 'weekly' | 'off';
}
export interface PatchServiceDatabaseBackupsSettingsReply {
  settings: {
    /**
     * The service that it belongs to.
     */
    serviceId: string;
    /**
     * Where copies are kept: the disk of the host, the bucket, or both.
     */
    storage: 'disk' | 'remote' | 'disk+remote';
    /**
     * Whether backups are scheduled at all.
     */
    automaticEnabled: boolean;
    /**
     * Whether one is taken each day.
     */
    dailyEnabled: boolean;
    /**
     * Whether one is taken each week.
     */
    weeklyEnabled: boolean;
    /**
     * Whether one is taken each month.
     */
    monthlyEnabled: boolean;
    /**
     * The newest test restore of this backup.
     */
    drill: 'weekly' | 'off';
    /**
     * When the next scheduled backup is due; null: none is scheduled.
     */
    nextBackupAt: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
  };
}
export interface PostServiceDatabaseBackupRestoreBody {
  /**
   * Database into which to restore; absent: the one that the backup is of.
   */
  targetServiceId?: string;
}
export interface PostServiceDatabaseBackupRestoreReply {
  /**
   * The change was made.
   */
  ok: true;
  /**
   * When it was restored.
   */
  restoredAt: string;
  backup: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * State, one of a closed set.
     */
    status: string;
  };
}
export interface PostServiceDatabaseBackupRestoreAbortReply {
  /**
   * The abort was passed on.
   */
  accepted: true;
}
export interface PostServiceDatabaseBackupAbortReply {
  /**
   * The abort was passed on.
   */
  accepted: true;
}
export interface PostServiceDatabaseBackupProveReply {
  drill: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * The backup.
     */
    backupId: string;
    /**
     * What started it.
     */
    trigger: 'manual' | 'weekly';
    /**
     * Who started it; null if that was not recorded yet.
     */
    startedBy: {
      /**
       * `push`: a git host reported a push; `schedule`: a schedule of commands or backups; `platform`: the platform itself.
       */
      type: 'member' | 'key' | 'operator' | 'push' | 'schedule' | 'platform';
      /**
       * Id of the member, the key, the operator's session or the schedule; null: there is none.
       */
      id: string | null;
      /**
       * Name at that time of the member, the key, the schedule or the author of the push; null: not known.
       */
      name: string | null;
    } | null;
    /**
     * State, one of a closed set.
     */
    state: 'running' | 'succeeded' | 'failed' | 'skipped' | 'aborted';
    /**
     * How far it is; null when it does not run.
     */
    progress: {
      /**
       * What is done so far.
       */
      done: number;
      /**
       * The whole; null while unknown.
       */
      total: number | null;
      /**
       * What is counted.
       */
      unit: 'bytes' | 'rows' | 'keys';
    } | null;
    /**
     * What is wrong and what to do, as a sentence.
     */
    error: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it ended; null until then.
     */
    finishedAt: string | null;
  };
}
export interface PostServiceDatabaseBackupProveAbortReply {
  /**
   * The abort was passed on.
   */
  accepted: true;
}
export interface DeleteServiceDatabaseBackupReply {
  /**
   * The change was made.
   */
  ok: true;
}
export interface GetBackupKeysReply {
  /**
   * The keys, newest first.
   */
  backupKeys: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Public part of the key, in the age format.
     */
    recipient: string;
    /**
     * Whether new backups are encrypted with it.
     */
    isCurrent: boolean;
    /**
     * Number of backups that it opens, deleted ones that are kept included.
     */
    encryptedBackups: number;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * Since when it encrypts no new backup; null: it is current.
     */
    retiredAt: string | null;
  }[];
  /**
   * `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string;
}
export interface PostBackupKeysReply {
  backupKey: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Public part of the key, in the age format.
     */
    recipient: string;
    /**
     * Whether new backups are encrypted with it.
     */
    isCurrent: boolean;
    /**
     * Number of backups that it opens, deleted ones that are kept included.
     */
    encryptedBackups: number;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * Since when it encrypts no new backup; null: it is current.
     */
    retiredAt: string | null;
  };
  /**
   * Secret part of the key: decrypts with `age -d -i`. Shown only once.
   */
  identity: string;
}
export interface DeleteBackupKeyReply {
  /**
   * The change was made.
   */
  ok: true;
}
export interface GetServiceDatabaseImportsReply {
  /**
   * The imports, newest first.
   */
  imports: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * The service that it belongs to.
     */
    serviceId: string;
    /**
     * The database engine.
     */
    engine: string;
    /**
     * Where the data comes from.
     */
    source: 'postgres-url' | 'mysql-url' | 'redis-url' | 'mongodb-url' | 'clickhouse-url' | 'file';
    /**
     * The source without its password.
     */
    sourceLabel: string;
    /**
     * State, one of a closed set.
     */
    status: 'running' | 'succeeded' | 'failed';
    /**
     * Who started it; null if that was not recorded yet.
     */
    startedBy: {
      /**
       * `push`: a git host reported a push; `schedule`: a schedule of commands or backups; `platform`: the platform itself.
       */
      type: 'member' | 'key' | 'operator' | 'push' | 'schedule' | 'platform';
      /**
       * Id of the member, the key, the operator's session or the schedule; null: there is none.
       */
      id: string | null;
      /**
       * Name at that time of the member, the key, the schedule or the author of the push; null: not known.
       */
      name: string | null;
    } | null;
    /**
     * How far it is; null when it does not run.
     */
    progress: {
      /**
       * What is done so far.
       */
      done: number;
      /**
       * The whole; null while unknown.
       */
      total: number | null;
      /**
       * What is counted.
       */
      unit: 'bytes' | 'rows' | 'keys';
    } | null;
    /**
     * What is wrong and what to do, as a sentence.
     */
    error: string | null;
    /**
     * The backup of the replaced data; null if nothing may be replaced, or if the import failed before the backup.
     */
    safetyBackupId: string | null;
    /**
     * Leave out what PostgreSQL refuses, and list it in `skipped`.
     */
    continueOnError: boolean;
    /**
     * What was left out, one sentence each; empty: nothing.
     */
    skipped: string[];
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it started; null until then.
     */
    startedAt: string;
    /**
     * When it ended; null until then.
     */
    finishedAt: string | null;
  }[];
  /**
   * `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string;
}
export interface PostServiceDatabaseImportPostgresUrlBody {
  /**
   * URL of the source, with user and password. Never returned.
   */
  sourceUrl: string;
  /**
   * Whether data that the target has is replaced, after a backup.
   */
  replace?: boolean;
  /**
   * Leave out what PostgreSQL refuses, and list it in `skipped`.
   */
  continueOnError?: boolean;
}
export interface PostServiceDatabaseImportPostgresUrlReply {
  result: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * State, one of a closed set.
     */
    status: 'running' | 'succeeded' | 'failed';
    /**
     * Where the data comes from.
     */
    source: 'postgres-url' | 'mysql-url' | 'redis-url' | 'mongodb-url' | 'clickhouse-url' | 'file';
    /**
     * When it was created.
     */
    createdAt: string;
  };
}
export interface PostServiceDatabaseImportMysqlUrlBody {
  /**
   * URL of the source, with user and password. Never returned.
   */
  sourceUrl: string;
  /**
   * Whether data that the target has is replaced, after a backup.
   */
  replace?: boolean;
}
export interface PostServiceDatabaseImportMysqlUrlReply {
  result: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * State, one of a closed set.
     */
    status: 'running' | 'succeeded' | 'failed';
    /**
     * Where the data comes from.
     */
    source: 'postgres-url' | 'mysql-url' | 'redis-url' | 'mongodb-url' | 'clickhouse-url' | 'file';
    /**
     * When it was created.
     */
    createdAt: string;
  };
}
export interface PostServiceDatabaseImportRedisUrlBody {
  /**
   * URL of the source, with user and password. Never returned.
   */
  sourceUrl: string;
  /**
   * Whether data that the target has is replaced, after a backup.
   */
  replace?: boolean;
}
export interface PostServiceDatabaseImportRedisUrlReply {
  result: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * State, one of a closed set.
     */
    status: 'running' | 'succeeded' | 'failed';
    /**
     * Where the data comes from.
     */
    source: 'postgres-url' | 'mysql-url' | 'redis-url' | 'mongodb-url' | 'clickhouse-url' | 'file';
    /**
     * When it was created.
     */
    createdAt: string;
  };
}
export interface PostServiceDatabaseImportMongodbUrlBody {
  /**
   * URL of the source, with user and password. Never returned.
   */
  sourceUrl: string;
  /**
   * Whether data that the target has is replaced, after a backup.
   */
  replace?: boolean;
}
export interface PostServiceDatabaseImportMongodbUrlReply {
  result: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * State, one of a closed set.
     */
    status: 'running' | 'succeeded' | 'failed';
    /**
     * Where the data comes from.
     */
    source: 'postgres-url' | 'mysql-url' | 'redis-url' | 'mongodb-url' | 'clickhouse-url' | 'file';
    /**
     * When it was created.
     */
    createdAt: string;
  };
}
export interface PostServiceDatabaseImportClickhouseUrlBody {
  /**
   * URL of the source, with user and password. Never returned.
   */
  sourceUrl: string;
  /**
   * Whether data that the target has is replaced, after a backup.
   */
  replace?: boolean;
}
export interface PostServiceDatabaseImportClickhouseUrlReply {
  result: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * State, one of a closed set.
     */
    status: 'running' | 'succeeded' | 'failed';
    /**
     * Where the data comes from.
     */
    source: 'postgres-url' | 'mysql-url' | 'redis-url' | 'mongodb-url' | 'clickhouse-url' | 'file';
    /**
     * When it was created.
     */
    createdAt: string;
  };
}
export interface PostServiceDatabaseImportAbortReply {
  /**
   * The abort was passed on.
   */
  accepted: true;
}
export interface PostServiceDatabaseUploadsBody {
  /**
   * Size in bytes.
   */
  sizeBytes: number;
  /**
   * `sha256:` and the hexadecimal digest of the file.
   */
  checksum?: string;
}
export interface PostServiceDatabaseUploadsReply {
  upload: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Size in bytes.
     */
    sizeBytes: number;
    /**
     * Size of every part but the last, in bytes.
     */
    partBytes: number;
    /**
     * How many parts there are.
     */
    parts: number;
    /**
     * When it expires.
     */
    expiresAt: string;
  };
}
export interface GetServiceDatabaseUploadsReply {
  uploads: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Size in bytes.
     */
    sizeBytes: number;
    /**
     * Size of every part but the last, in bytes.
     */
    partBytes: number;
    /**
     * How many parts there are.
     */
    parts: number;
    /**
     * When it expires.
     */
    expiresAt: string;
  }[];
}
export interface GetServiceDatabaseUploadReply {
  upload: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Size in bytes.
     */
    sizeBytes: number;
    /**
     * Size of every part but the last, in bytes.
     */
    partBytes: number;
    /**
     * How many parts there are.
     */
    parts: number;
    /**
     * When it expires.
     */
    expiresAt: string;
    /**
     * Numbers of the parts that have arrived.
     */
    received: number[];
    /**
     * Numbers of the parts that are missing.
     */
    missing: number[];
  };
}
export interface PutServiceDatabaseUploadReply {
  /**
   * The change was made.
   */
  ok: true;
}
export interface PostServiceDatabaseImportFileBody {
  /**
   * The upload.
   */
  uploadId: string;
  /**
   * Whether data that the target has is replaced, after a backup.
   */
  replace?: boolean;
  /**
   * Leave out what PostgreSQL refuses, and list it in `skipped`.
   */
  continueOnError?: boolean;
}
export interface PostServiceDatabaseImportFileReply {
  result: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * State, one of a closed set.
     */
    status: 'running' | 'succeeded' | 'failed';
    /**
     * Where the data comes from.
     */
    source: 'postgres-url' | 'mysql-url' | 'redis-url' | 'mongodb-url' | 'clickhouse-url' | 'file';
    /**
     * When it was created.
     */
    createdAt: string;
  };
}
export interface PutServiceDatabaseImportFileReply {
  result: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * State, one of a closed set.
     */
    status: 'running' | 'succeeded' | 'failed';
    /**
     * Where the data comes from.
     */
    source: 'postgres-url' | 'mysql-url' | 'redis-url' | 'mongodb-url' | 'clickhouse-url' | 'file';
    /**
     * When it was created.
     */
    createdAt: string;
  };
}
export interface GetDeletedReply {
  /**
   * What was deleted, newest first.
   */
  deleted: {
    /**
     * Id of the deleted service, project, backup or volume.
     */
    id: string;
    /**
     * Its kind.
     */
    kind: 'service' | 'project' | 'backup' | 'volume';
    /**
     * Its name; that of its service for a backup.
     */
    name: string;
    /**
     * The project that it belongs to.
     */
    projectId: string;
    /**
     * Name of the project.
     */
    projectName: string;
    /**
     * The service that it belongs to.
     */
    serviceId: string | null;
    /**
     * Name of the service that it is or was part of; null for a project.
     */
    serviceName: string | null;
    /**
     * When it was deleted.
     */
    deletedAt: string;
    /**
     * Until when it can be restored.
     */
    restorableUntil: string;
    /**
     * Bytes of its backups, which still count against the quota.
     */
    backupBytes: number;
    /**
     * The request that restores it.
     */
    restore: string;
  }[];
  /**
   * `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string;
}
export interface PostServiceRestoreReply {
  service: Service;
  /**
   * What is different from before.
   */
  changes: {
    /**
     * The service that it belongs to.
     */
    serviceId: string | null;
    /**
     * The field whose value had to change, because another service has it now.
     */
    field: 'slug' | 'hostPort' | 'generatedHostname' | 'databasePublicHostname' | 'domain';
    /**
     * The value before.
     */
    before: string;
    /**
     * The value after.
     */
    after: string | null;
  }[];
}
export interface PostProjectRestoreReply {
  project: Project;
  /**
   * What is different from before.
   */
  changes: {
    /**
     * The service that it belongs to.
     */
    serviceId: string | null;
    /**
     * The field whose value had to change, because another service has it now.
     */
    field: 'slug' | 'hostPort' | 'generatedHostname' | 'databasePublicHostname' | 'domain';
    /**
     * The value before.
     */
    before: string;
    /**
     * The value after.
     */
    after: string | null;
  }[];
}
export interface PostServiceDatabaseBackupUndeleteReply {
  backup: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * The service that it belongs to.
     */
    serviceId: string;
    /**
     * The database engine.
     */
    engine: string;
    /**
     * State, one of a closed set.
     */
    status: 'running' | 'succeeded' | 'failed';
    /**
     * What started it.
     */
    trigger: 'manual' | 'daily' | 'weekly' | 'monthly' | 'pre-restore' | 'pre-update' | 'move';
    /**
     * Who started it; null if that was not recorded yet.
     */
    startedBy: {
      /**
       * `push`: a git host reported a push; `schedule`: a schedule of commands or backups; `platform`: the platform itself.
       */
      type: 'member' | 'key' | 'operator' | 'push' | 'schedule' | 'platform';
      /**
       * Id of the member, the key, the operator's session or the schedule; null: there is none.
       */
      id: string | null;
      /**
       * Name at that time of the member, the key, the schedule or the author of the push; null: not known.
       */
      name: string | null;
    } | null;
    /**
     * Where copies are kept: the disk of the host, the bucket, or both.
     */
    storage: 'disk' | 'remote' | 'disk+remote';
    /**
     * Format of the file.
     */
    format: 'custom' | 'sql' | 'rdb' | 'archive' | 'native' | 'tar';
    /**
     * Path of the file on the host; null: no copy there.
     */
    localPath: string | null;
    /**
     * Key of the file in the bucket; null: no copy there.
     */
    remoteKey: string | null;
    /**
     * Size in bytes.
     */
    sizeBytes: number;
    /**
     * `sha256:` and the hexadecimal digest of the file.
     */
    checksum: string;
    /**
     * The key with which the file is encrypted; null: it is not.
     */
    encryptedWith: string | null;
    /**
     * Number of tables.
     */
    tables: number | null;
    /**
     * Number of rows.
     */
    rows: number | null;
    /**
     * Parts of the source that the backup does not contain.
     */
    notKept: string[];
    /**
     * How far it is; null when it does not run.
     */
    progress: {
      /**
       * What is done so far.
       */
      done: number;
      /**
       * The whole; null while unknown.
       */
      total: number | null;
      /**
       * What is counted.
       */
      unit: 'bytes' | 'rows' | 'keys';
    } | null;
    /**
     * What is wrong and what to do, as a sentence.
     */
    error: string | null;
    /**
     * When a test restore last succeeded.
     */
    lastProvenAt: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it started; null until then.
     */
    startedAt: string;
    /**
     * When it ended; null until then.
     */
    finishedAt: string | null;
  };
}
export interface GetRegistriesReply {
  /**
   * The registries with a login, in the order of their hosts.
   */
  registries: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * The beginning of the names of its images, such as `ghcr.io`; `docker.io` for Docker Hub.
     */
    host: string;
    /**
     * User at the registry or git host.
     */
    username: string;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
  }[];
  /**
   * `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string;
}
export interface PostRegistriesBody {
  /**
   * The beginning of the names of its images, such as `ghcr.io`; `docker.io` for Docker Hub.
   */
  host: string;
  /**
   * User at the registry or git host.
   */
  username: string;
  /**
   * Password or token of the user. Stored encrypted, never returned.
   */
  password: string;
}
export interface PostRegistriesReply {
  registry: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * The beginning of the names of its images, such as `ghcr.io`; `docker.io` for Docker Hub.
     */
    host: string;
    /**
     * User at the registry or git host.
     */
    username: string;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
  };
}
export interface PatchRegistryBody {
  /**
   * User at the registry or git host.
   */
  username?: string;
  /**
   * Password or token of the user. Stored encrypted, never returned.
   */
  password?: string;
}
export interface DeleteRegistryReply {
  /**
   * The change was made.
   */
  ok: true;
}
export interface GetGitCredentialsReply {
  /**
   * The git hosts with a credential, in the order of their names.
   */
  gitCredentials: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Host of the git server, with its port unless that is 443.
     */
    host: string;
    /**
     * User at the registry or git host.
     */
    username: string;
    /**
     * The only project whose services use it; null: all projects of the tenant.
     */
    projectId: string | null;
    /**
     * API by which the git host gets the state of deployments.
     */
    commitStatus: ('github' | 'gitlab' | 'gitea' | 'bitbucket') | null;
    /**
     * Why the git host did not take the last status; null: it did, or there was none.
     */
    commitStatusFailure: string | null;
    /**
     * The GitHub App that makes its tokens; null: its token is stored.
     */
    githubAppId: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
  }[];
  /**
   * `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string;
}
export interface PostGitCredentialsBody {
  /**
   * Host of the git server, with its port unless that is 443.
   */
  host: string;
  /**
   * Access token of the git host. Stored encrypted, never returned.
   */
  token: string;
  /**
   * User name that the git host wants with the token. Absent: `x-access-token`, which GitHub, GitLab, Gitea and Forgejo accept; `x-token-auth` for Bitbucket.
   */
  username?: string;
  /**
   * The only project whose services use it; null: all projects of the tenant.
   */
  projectId?: string | null;
  /**
   * Report the state of deployments to the git host, as a status of their commit, by this API (Forgejo: `gitea`). null: do not. The token must be allowed to write statuses.
   */
  commitStatus?: ('github' | 'gitlab' | 'gitea' | 'bitbucket') | null;
}
export interface PostGitCredentialsReply {
  gitCredential: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Host of the git server, with its port unless that is 443.
     */
    host: string;
    /**
     * User at the registry or git host.
     */
    username: string;
    /**
     * The only project whose services use it; null: all projects of the tenant.
     */
    projectId: string | null;
    /**
     * API by which the git host gets the state of deployments.
     */
    commitStatus: ('github' | 'gitlab' | 'gitea' | 'bitbucket') | null;
    /**
     * Why the git host did not take the last status; null: it did, or there was none.
     */
    commitStatusFailure: string | null;
    /**
     * The GitHub App that makes its tokens; null: its token is stored.
     */
    githubAppId: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
  };
}
export interface PatchGitCredentialBody {
  /**
   * User at the registry or git host.
   */
  username?: string;
  /**
   * Access token of the git host. Stored encrypted, never returned.
   */
  token?: string;
  /**
   * Report the state of deployments to the git host, as a status of their commit, by this API (Forgejo: `gitea`). null: do not. The token must be allowed to write statuses.
   */
  commitStatus?: ('github' | 'gitlab' | 'gitea' | 'bitbucket') | null;
}
export interface DeleteGitCredentialReply {
  /**
   * The change was made.
   */
  ok: true;
}
export interface GetGithubAppsReply {
  /**
   * The GitHub Apps, in the order of their hosts.
   */
  githubApps: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Host of GitHub, or of a GitHub Enterprise Server.
     */
    host: string;
    /**
     * False until the setup page was followed to its end.
     */
    registered: boolean;
    /**
     * Name of the app at GitHub; null: it is not registered yet.
     */
    name: string | null;
    /**
     * Account that owns the app; null: it is not registered yet.
     */
    owner: string | null;
    /**
     * Page on which the owner chooses the repositories; null: the app is not registered yet.
     */
    installUrl: string | null;
    /**
     * Whether a push to the branch of a service deploys it.
     */
    deployOnPush: boolean;
    /**
     * Whether GitHub gets the state of each deployment.
     */
    commitStatus: boolean;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
  }[];
  /**
   * `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string;
}
export interface PostGithubAppsBody {
  /**
   * Organization at GitHub that will own the app; null: the person who opens the page.
   */
  organization?: string | null;
  /**
   * Host of GitHub, or of a GitHub Enterprise Server.
   */
  host?: string;
  /**
   * Whether a push to the branch of a service deploys it. A webhook of the service itself is not needed then.
   */
  deployOnPush?: boolean;
  /**
   * Whether GitHub gets the state of each deployment, as a status of its commit.
   */
  commitStatus?: boolean;
}
export interface PostGithubAppsReply {
  githubApp: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Host of GitHub, or of a GitHub Enterprise Server.
     */
    host: string;
    /**
     * False until the setup page was followed to its end.
     */
    registered: boolean;
    /**
     * Name of the app at GitHub; null: it is not registered yet.
     */
    name: string | null;
    /**
     * Account that owns the app; null: it is not registered yet.
     */
    owner: string | null;
    /**
     * Page on which the owner chooses the repositories; null: the app is not registered yet.
     */
    installUrl: string | null;
    /**
     * Whether a push to the branch of a service deploys it.
     */
    deployOnPush: boolean;
    /**
     * Whether GitHub gets the state of each deployment.
     */
    commitStatus: boolean;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
  };
  /**
   * Whoever opens it can finish the registration: share it with nobody else.
   */
  setupUrl: string;
}
export interface PatchGithubAppBody {
  /**
   * Whether a push to the branch of a service deploys it. A webhook of the service itself is not needed then.
   */
  deployOnPush?: boolean;
  /**
   * Whether GitHub gets the state of each deployment, as a status of its commit.
   */
  commitStatus?: boolean;
}
export interface PatchGithubAppReply {
  githubApp: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Host of GitHub, or of a GitHub Enterprise Server.
     */
    host: string;
    /**
     * False until the setup page was followed to its end.
     */
    registered: boolean;
    /**
     * Name of the app at GitHub; null: it is not registered yet.
     */
    name: string | null;
    /**
     * Account that owns the app; null: it is not registered yet.
     */
    owner: string | null;
    /**
     * Page on which the owner chooses the repositories; null: the app is not registered yet.
     */
    installUrl: string | null;
    /**
     * Whether a push to the branch of a service deploys it.
     */
    deployOnPush: boolean;
    /**
     * Whether GitHub gets the state of each deployment.
     */
    commitStatus: boolean;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
  };
}
export interface DeleteGithubAppReply {
  /**
   * The change was made.
   */
  ok: true;
  /**
   * What is left to do at GitHub.
   */
  detail: string;
}
export interface GetGithubAppInstallationsReply {
  /**
   * The installations of the app.
   */
  installations: {
    /**
     * GitHub's id of the installation.
     */
    id: number;
    /**
     * Login of the person or organization.
     */
    account: string;
    /**
     * Which repositories of the account the app can read.
     */
    repositories: 'all' | 'selected';
    /**
     * Whether the owner has suspended it.
     */
    suspended: boolean;
    /**
     * Page on which the owner changes the repositories.
     */
    settingsUrl: string;
  }[];
}
export interface GetGithubAppRepositoriesReply {
  repositories: {
    /**
     * `owner/repo`: the field `repoFullName` of a service.
     */
    fullName: string;
    /**
     * URL by https: the field `repoUrl` of a service.
     */
    url: string;
    /**
     * Whether it is private.
     */
    private: boolean;
    /**
     * Whether it is read-only.
     */
    archived: boolean;
    /**
     * Its default branch.
     */
    defaultBranch: string;
  }[];
  /**
   * Number of repositories of the installation.
   */
  total: number;
  /**
   * The next page; null: this is the last one.
   */
  nextPage: number | null;
}
export interface GetNotificationChannelsReply {
  /**
   * The channels, in the order of their names.
   */
  channels: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * The only project whose events it gets; null: all projects.
     */
    projectId: string | null;
    /**
     * Kind of receiver.
     */
    kind: 'slack' | 'discord' | 'telegram' | 'teams' | 'email' | 'smtp';
    /**
     * Where it goes, without its secrets.
     */
    target: string;
    /**
     * Types of events that it gets; `*`: all.
     */
    events: (
      | 'backup.failed'
      | 'backup.missed'
      | 'backup.recovered'
      | 'restore.failed'
      | 'import.failed'
      | 'drill.failed'
      | 'upgrade.failed'
      | 'run.failed'
      | 'run.recovered'
      | 'run.missed'
      | 'service.stopped'
      | 'service.crashed'
      | 'service.slept'
      | 'service.woke'
      | 'deployment.failed'
      | 'deployment.recovered'
      | 'deployment.withheld'
      | 'deployment.first_success'
      | 'host.away'
      | 'host.returned'
      | 'host.upgrade_failed'
      | 'host.trouble'
      | 'host.copied'
      | 'host.works'
      | 'alert.raised'
      | 'alert.resolved'
      | 'service.deleted'
      | 'service.restored'
      | 'service.purged'
      | 'project.deleted'
      | 'project.restored'
      | 'project.purged'
      | 'backup.deleted'
      | 'backup.restored'
      | 'backup.purged'
      | 'volume.deleted'
      | 'volume.restored'
      | 'volume.purged'
      | '*'
    )[];
    /**
     * When nothing is sent; null: never.
     */
    quietHours: {
      /**
       * Begin, as a time of the day.
       */
      from: string;
      /**
       * End; before `from`: on the next day.
       */
      to: string;
      /**
       * IANA time zone.
       */
      timeZone: string;
    } | null;
    /**
     * Whether it is sent anything.
     */
    enabled: boolean;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
  }[];
}
export interface PostNotificationChannelsBody {
  /**
   * Name, for people. It can be changed.
   */
  name: string;
  /**
   * The only project whose events it gets; null: all projects of the tenant.
   */
  projectId?: string | null;
  /**
   * Types of events that it gets; `*`: all, also later ones.
   *
   * @minItems 1
   */
  events?: [
    (
      | 'backup.failed'
      | 'backup.missed'
      | 'backup.recovered'
      | 'restore.failed'
      | 'import.failed'
      | 'drill.failed'
      | 'upgrade.failed'
      | 'run.failed'
      | 'run.recovered'
      | 'run.missed'
      | 'service.stopped'
      | 'service.crashed'
      | 'service.slept'
      | 'service.woke'
      | 'deployment.failed'
      | 'deployment.recovered'
      | 'deployment.withheld'
      | 'deployment.first_success'
      | 'host.away'
      | 'host.returned'
      | 'host.upgrade_failed'
      | 'host.trouble'
      | 'host.copied'
      | 'host.works'
      | 'alert.raised'
      | 'alert.resolved'
      | 'service.deleted'
      | 'service.restored'
      | 'service.purged'
      | 'project.deleted'
      | 'project.restored'
      | 'project.purged'
      | 'backup.deleted'
      | 'backup.restored'
      | 'backup.purged'
      | 'volume.deleted'
      | 'volume.restored'
      | 'volume.purged'
      | '*'
    ),
    ...(
      | 'backup.failed'
      | 'backup.missed'
      | 'backup.recovered'
      | 'restore.failed'
      | 'import.failed'
      | 'drill.failed'
      | 'upgrade.failed'
      | 'run.failed'
      | 'run.recovered'
      | 'run.missed'
      | 'service.stopped'
      | 'service.crashed'
      | 'service.slept'
      | 'service.woke'
      | 'deployment.failed'
      | 'deployment.recovered'
      | 'deployment.withheld'
      | 'deployment.first_success'
      | 'host.away'
      | 'host.returned'
      | 'host.upgrade_failed'
      | 'host.trouble'
      | 'host.copied'
      | 'host.works'
      | 'alert.raised'
      | 'alert.resolved'
      | 'service.deleted'
      | 'service.restored'
      | 'service.purged'
      | 'project.deleted'
      | 'project.restored'
      | 'project.purged'
      | 'backup.deleted'
      | 'backup.restored'
      | 'backup.purged'
      | 'volume.deleted'
      | 'volume.restored'
      | 'volume.purged'
      | '*'
    )[],
  ];
  /**
   * When nothing is sent; what happens then is sent at the end. null: never.
   */
  quietHours?: {
    /**
     * Begin, as a time of the day.
     */
    from: string;
    /**
     * End; before `from`: on the next day.
     */
    to: string;
    /**
     * IANA time zone.
     */
    timeZone: string;
  } | null;
  /**
   * Whether it is sent anything.
   */
  enabled?: boolean;
  /**
   * An incoming webhook of Slack, Mattermost or Rocket.Chat.
   */
  slack?: {
    /**
     * URL of the incoming webhook.
     */
    url: string;
  };
  /**
   * A webhook of Discord.
   */
  discord?: {
    /**
     * URL of the webhook.
     */
    url: string;
  };
  /**
   * A bot of Telegram and the chat in which it writes.
   */
  telegram?: {
    /**
     * Token of the bot, from BotFather.
     */
    botToken: string;
    /**
     * Id of the chat, or the name of a public channel with its @.
     */
    chatId: string;
  };
  /**
   * A workflow of Microsoft Teams.
   */
  teams?: {
    /**
     * URL of the workflow.
     */
    url: string;
  };
  /**
   * E-mail by the API of a provider.
   */
  email?: {
    /**
     * The company that sends the mail.
     */
    provider: 'resend' | 'postmark';
    /**
     * API key of the provider; of Postmark the server token.
     */
    apiKey: string;
    /**
     * Sender, with or without a name.
     */
    from: string;
    /**
     * Receivers.
     *
     * @minItems 1
     * @maxItems 10
     */
    to: [string, ...string[]];
  };
  /**
   * E-mail by a mail server.
   */
  smtp?: {
    /**
     * Name of the mail server.
     */
    host: string;
    /**
     * Port: one of 465, 587, 2465, 2525, 2587.
     */
    port?: number;
    /**
     * `tls`: encrypted from the start; `starttls`: after STARTTLS; absent: as the port has it.
     */
    security?: 'tls' | 'starttls' | 'none';
    /**
     * User name; absent: the server needs none.
     */
    username?: string;
    /**
     * Password or API key of that user.
     */
    password?: string;
    /**
     * Sender, with or without a name.
     */
    from: string;
    /**
     * Receivers.
     *
     * @minItems 1
     * @maxItems 10
     */
    to: [string, ...string[]];
  };
}
export interface PostNotificationChannelsReply {
  channel: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * The only project whose events it gets; null: all projects.
     */
    projectId: string | null;
    /**
     * Kind of receiver.
     */
    kind: 'slack' | 'discord' | 'telegram' | 'teams' | 'email' | 'smtp';
    /**
     * Where it goes, without its secrets.
     */
    target: string;
    /**
     * Types of events that it gets; `*`: all.
     */
    events: (
      | 'backup.failed'
      | 'backup.missed'
      | 'backup.recovered'
      | 'restore.failed'
      | 'import.failed'
      | 'drill.failed'
      | 'upgrade.failed'
      | 'run.failed'
      | 'run.recovered'
      | 'run.missed'
      | 'service.stopped'
      | 'service.crashed'
      | 'service.slept'
      | 'service.woke'
      | 'deployment.failed'
      | 'deployment.recovered'
      | 'deployment.withheld'
      | 'deployment.first_success'
      | 'host.away'
      | 'host.returned'
      | 'host.upgrade_failed'
      | 'host.trouble'
      | 'host.copied'
      | 'host.works'
      | 'alert.raised'
      | 'alert.resolved'
      | 'service.deleted'
      | 'service.restored'
      | 'service.purged'
      | 'project.deleted'
      | 'project.restored'
      | 'project.purged'
      | 'backup.deleted'
      | 'backup.restored'
      | 'backup.purged'
      | 'volume.deleted'
      | 'volume.restored'
      | 'volume.purged'
      | '*'
    )[];
    /**
     * When nothing is sent; null: never.
     */
    quietHours: {
      /**
       * Begin, as a time of the day.
       */
      from: string;
      /**
       * End; before `from`: on the next day.
       */
      to: string;
      /**
       * IANA time zone.
       */
      timeZone: string;
    } | null;
    /**
     * Whether it is sent anything.
     */
    enabled: boolean;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
  };
}
export interface PatchNotificationChannelBody {
  /**
   * Name, for people. It can be changed.
   */
  name?: string;
  /**
   * Types of events that it gets; `*`: all, also later ones.
   *
   * @minItems 1
   */
  events?: [
    (
      | 'backup.failed'
      | 'backup.missed'
      | 'backup.recovered'
      | 'restore.failed'
      | 'import.failed'
      | 'drill.failed'
      | 'upgrade.failed'
      | 'run.failed'
      | 'run.recovered'
      | 'run.missed'
      | 'service.stopped'
      | 'service.crashed'
      | 'service.slept'
      | 'service.woke'
      | 'deployment.failed'
      | 'deployment.recovered'
      | 'deployment.withheld'
      | 'deployment.first_success'
      | 'host.away'
      | 'host.returned'
      | 'host.upgrade_failed'
      | 'host.trouble'
      | 'host.copied'
      | 'host.works'
      | 'alert.raised'
      | 'alert.resolved'
      | 'service.deleted'
      | 'service.restored'
      | 'service.purged'
      | 'project.deleted'
      | 'project.restored'
      | 'project.purged'
      | 'backup.deleted'
      | 'backup.restored'
      | 'backup.purged'
      | 'volume.deleted'
      | 'volume.restored'
      | 'volume.purged'
      | '*'
    ),
    ...(
      | 'backup.failed'
      | 'backup.missed'
      | 'backup.recovered'
      | 'restore.failed'
      | 'import.failed'
      | 'drill.failed'
      | 'upgrade.failed'
      | 'run.failed'
      | 'run.recovered'
      | 'run.missed'
      | 'service.stopped'
      | 'service.crashed'
      | 'service.slept'
      | 'service.woke'
      | 'deployment.failed'
      | 'deployment.recovered'
      | 'deployment.withheld'
      | 'deployment.first_success'
      | 'host.away'
      | 'host.returned'
      | 'host.upgrade_failed'
      | 'host.trouble'
      | 'host.copied'
      | 'host.works'
      | 'alert.raised'
      | 'alert.resolved'
      | 'service.deleted'
      | 'service.restored'
      | 'service.purged'
      | 'project.deleted'
      | 'project.restored'
      | 'project.purged'
      | 'backup.deleted'
      | 'backup.restored'
      | 'backup.purged'
      | 'volume.deleted'
      | 'volume.restored'
      | 'volume.purged'
      | '*'
    )[],
  ];
  /**
   * When nothing is sent; what happens then is sent at the end. null: never.
   */
  quietHours?: {
    /**
     * Begin, as a time of the day.
     */
    from: string;
    /**
     * End; before `from`: on the next day.
     */
    to: string;
    /**
     * IANA time zone.
     */
    timeZone: string;
  } | null;
  /**
   * Whether it is sent anything.
   */
  enabled?: boolean;
  /**
   * An incoming webhook of Slack, Mattermost or Rocket.Chat.
   */
  slack?: {
    /**
     * URL of the incoming webhook.
     */
    url: string;
  };
  /**
   * A webhook of Discord.
   */
  discord?: {
    /**
     * URL of the webhook.
     */
    url: string;
  };
  /**
   * A bot of Telegram and the chat in which it writes.
   */
  telegram?: {
    /**
     * Token of the bot, from BotFather.
     */
    botToken: string;
    /**
     * Id of the chat, or the name of a public channel with its @.
     */
    chatId: string;
  };
  /**
   * A workflow of Microsoft Teams.
   */
  teams?: {
    /**
     * URL of the workflow.
     */
    url: string;
  };
  /**
   * E-mail by the API of a provider.
   */
  email?: {
    /**
     * The company that sends the mail.
     */
    provider: 'resend' | 'postmark';
    /**
     * API key of the provider; of Postmark the server token.
     */
    apiKey: string;
    /**
     * Sender, with or without a name.
     */
    from: string;
    /**
     * Receivers.
     *
     * @minItems 1
     * @maxItems 10
     */
    to: [string, ...string[]];
  };
  /**
   * E-mail by a mail server.
   */
  smtp?: {
    /**
     * Name of the mail server.
     */
    host: string;
    /**
     * Port: one of 465, 587, 2465, 2525, 2587.
     */
    port?: number;
    /**
     * `tls`: encrypted from the start; `starttls`: after STARTTLS; absent: as the port has it.
     */
    security?: 'tls' | 'starttls' | 'none';
    /**
     * User name; absent: the server needs none.
     */
    username?: string;
    /**
     * Password or API key of that user.
     */
    password?: string;
    /**
     * Sender, with or without a name.
     */
    from: string;
    /**
     * Receivers.
     *
     * @minItems 1
     * @maxItems 10
     */
    to: [string, ...string[]];
  };
}
export interface DeleteNotificationChannelReply {
  /**
   * The change was made.
   */
  ok: true;
}
export interface PostNotificationChannelTestReply {
  result: {
    /**
     * Whether it succeeded.
     */
    ok: boolean;
    /**
     * HTTP status of the answer; null: there was none.
     */
    status: number | null;
    /**
     * What happened or what it waits for, as a sentence.
     */
    detail: string;
    /**
     * How long it took, in milliseconds.
     */
    durationMs: number;
  };
}
export interface GetNotificationChannelNotificationsReply {
  /**
   * The notifications, newest first.
   */
  notifications: {
    /**
     * The event.
     */
    eventId: string;
    /**
     * Type of the event.
     */
    type:
      | 'backup.failed'
      | 'backup.missed'
      | 'backup.recovered'
      | 'restore.failed'
      | 'import.failed'
      | 'drill.failed'
      | 'upgrade.failed'
      | 'run.failed'
      | 'run.recovered'
      | 'run.missed'
      | 'service.stopped'
      | 'service.crashed'
      | 'service.slept'
      | 'service.woke'
      | 'deployment.failed'
      | 'deployment.recovered'
      | 'deployment.withheld'
      | 'deployment.first_success'
      | 'host.away'
      | 'host.returned'
      | 'host.upgrade_failed'
      | 'host.trouble'
      | 'host.copied'
      | 'host.works'
      | 'alert.raised'
      | 'alert.resolved'
      | 'service.deleted'
      | 'service.restored'
      | 'service.purged'
      | 'project.deleted'
      | 'project.restored'
      | 'project.purged'
      | 'backup.deleted'
      | 'backup.restored'
      | 'backup.purged'
      | 'volume.deleted'
      | 'volume.restored'
      | 'volume.purged';
    /**
     * One sentence.
     */
    summary: string;
    /**
     * How far its delivery is.
     */
    delivery: 'none' | 'pending' | 'delivered' | 'undelivered';
    /**
     * How often it was sent.
     */
    attempts: number;
    /**
     * When it is sent again; null: never.
     */
    nextAttemptAt: string | null;
    /**
     * The newest failure; null if there is none.
     */
    lastFailure: string | null;
    /**
     * When the receiver accepted it; null: not yet.
     */
    deliveredAt: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
  }[];
}
export interface GetAttentionReply {
  /**
   * Worst first, at most 200.
   */
  attention: {
    /**
     * What it is about.
     */
    kind:
      | 'service'
      | 'deployment'
      | 'push'
      | 'image-update'
      | 'host'
      | 'alert'
      | 'channel'
      | 'backup'
      | 'restore-test'
      | 'domain'
      | 'queue';
    /**
     * `down`: visitors or work are affected now. `failing`: something does not work, and what is live serves. `warning`: it needs care soon.
     */
    severity: 'down' | 'failing' | 'warning';
    /**
     * Name of the service, host or channel.
     */
    name: string;
    /**
     * What is wrong, as a sentence.
     */
    what: string;
    /**
     * What it means for users; null: `what` says it.
     */
    effect: string | null;
    /**
     * Its begin; null: it is not known.
     */
    since: string | null;
    /**
     * What to do first: `rollback` to the deployment `resourceId`, `explain` the failure, or look at the logs, metrics, host, channel, backups of the database or the volumes, domain or deployments.
     */
    action:
      | 'explain'
      | 'rollback'
      | 'logs'
      | 'metrics'
      | 'host'
      | 'channel'
      | 'database-backups'
      | 'volume-backups'
      | 'domain'
      | 'deployments';
    /**
     * Its project; null: a host, or all projects.
     */
    projectId: string | null;
    /**
     * Slug of that project.
     */
    projectSlug: string | null;
    /**
     * Its service; null: it is about no single service.
     */
    serviceId: string | null;
    /**
     * Slug of that service.
     */
    serviceSlug: string | null;
    /**
     * The deployment, alert, host, channel, backup, restore test, domain, job or service that it is about.
     */
    resourceId: string;
    /**
     * The open alert about it; null: none is open.
     */
    alertId: string | null;
    /**
     * When somebody acknowledged that alert; null: nobody has.
     */
    acknowledgedAt: string | null;
  }[];
  /**
   * How many there are, counted up to 200 of a kind.
   */
  total: number;
  /**
   * How many of them nobody has acknowledged.
   */
  open: number;
  /**
   * How many services were looked at.
   */
  services: number;
  /**
   * Whether a host has just come or gone, so that the state of its services is not known yet: an empty list does not mean that all is well.
   */
  settling: boolean;
}
export interface GetAlertsReply {
  /**
   * The alerts, newest first.
   */
  alerts: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * What is watched; `own`: a rule that somebody made.
     */
    rule:
      | 'memory'
      | 'restarts'
      | 'outOfMemory'
      | 'hostDisk'
      | 'hostMemory'
      | 'certificate'
      | 'queue'
      | 'backupAge'
      | 'quotaNear'
      | 'quotaRefused'
      | 'hostAway'
      | 'own';
    /**
     * The rule that somebody made; null: a default one.
     */
    ruleId: string | null;
    /**
     * The service that it is about; null: a host or a tenant.
     */
    serviceId: string | null;
    /**
     * The project of that service; null: it is about a host or a tenant.
     */
    projectId: string | null;
    /**
     * The quota of the tenant that it is about; null: none.
     */
    quota: string | null;
    /**
     * The host that sees it, or that is not connected; null: neither.
     */
    runnerId: string | null;
    /**
     * Name of the service, host or tenant.
     */
    name: string;
    /**
     * What was seen, with its numbers.
     */
    detail: string;
    /**
     * Its begin.
     */
    raisedAt: string;
    /**
     * Its end; null: it is open.
     */
    resolvedAt: string | null;
    /**
     * Whether the condition comes and goes: it is open until the condition has been absent for an hour.
     */
    flapping: boolean;
    /**
     * When somebody took it on; null: nobody has.
     */
    acknowledgedAt: string | null;
    /**
     * The key that did, or `operator`.
     */
    acknowledgedBy: string | null;
    /**
     * Until then neither its end nor a new begin is sent; null: it is not silenced.
     */
    silencedUntil: string | null;
    /**
     * The key that silenced it, or `operator`.
     */
    silencedBy: string | null;
  }[];
  /**
   * `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string;
}
export interface PatchAlertBody {
  /**
   * Whether somebody has acknowledged the alert.
   */
  acknowledged?: boolean;
  /**
   * Send nothing about the same condition until then, at most 90 days; null: send again.
   */
  silencedUntil?: string | null;
}
export interface PatchAlertReply {
  alert: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * What is watched; `own`: a rule that somebody made.
     */
    rule:
      | 'memory'
      | 'restarts'
      | 'outOfMemory'
      | 'hostDisk'
      | 'hostMemory'
      | 'certificate'
      | 'queue'
      | 'backupAge'
      | 'quotaNear'
      | 'quotaRefused'
      | 'hostAway'
      | 'own';
    /**
     * The rule that somebody made; null: a default one.
     */
    ruleId: string | null;
    /**
     * The service that it is about; null: a host or a tenant.
     */
    serviceId: string | null;
    /**
     * The project of that service; null: it is about a host or a tenant.
     */
    projectId: string | null;
    /**
     * The quota of the tenant that it is about; null: none.
     */
    quota: string | null;
    /**
     * The host that sees it, or that is not connected; null: neither.
     */
    runnerId: string | null;
    /**
     * Name of the service, host or tenant.
     */
    name: string;
    /**
     * What was seen, with its numbers.
     */
    detail: string;
    /**
     * Its begin.
     */
    raisedAt: string;
    /**
     * Its end; null: it is open.
     */
    resolvedAt: string | null;
    /**
     * Whether the condition comes and goes: it is open until the condition has been absent for an hour.
     */
    flapping: boolean;
    /**
     * When somebody took it on; null: nobody has.
     */
    acknowledgedAt: string | null;
    /**
     * The key that did, or `operator`.
     */
    acknowledgedBy: string | null;
    /**
     * Until then neither its end nor a new begin is sent; null: it is not silenced.
     */
    silencedUntil: string | null;
    /**
     * The key that silenced it, or `operator`.
     */
    silencedBy: string | null;
  };
}
export interface GetProjectAlertRulesReply {
  /**
   * Rules that people made, in order of creation.
   */
  rules: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * The project whose services it watches; null: it watches hosts.
     */
    projectId: string | null;
    /**
     * The only service that it watches; null: all of the project.
     */
    serviceId: string | null;
    /**
     * The only host that it watches; null: all, or it watches services.
     */
    runnerId: string | null;
    /**
     * Name, for people.
     */
    name: string;
    /**
     * What is watched.
     */
    metric:
      | 'cpu'
      | 'memory'
      | 'networkIn'
      | 'networkOut'
      | 'diskRead'
      | 'diskWrite'
      | 'diskUsed'
      | 'requests'
      | 'errors'
      | 'latencyP50'
      | 'latencyP99'
      | 'connections'
      | 'restarts'
      | 'outOfMemory'
      | 'cpuPercent'
      | 'memoryPercent'
      | 'errorPercent'
      | 'diskPercent';
    /**
     * Unit of the threshold.
     */
    unit: string;
    /**
     * Whether values above or below the threshold are alarming.
     */
    comparison: 'above' | 'below';
    /**
     * In that unit; of a count, more than so many within the time.
     */
    threshold: number;
    /**
     * For how long without a break, in seconds; of a count, the time within which it is counted.
     */
    forSeconds: number;
    /**
     * Whether it is watched.
     */
    enabled: boolean;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
  }[];
  /**
   * Rules that apply without being made.
   */
  defaults: {
    /**
     * Name of the default rule.
     */
    rule:
      | 'memory'
      | 'restarts'
      | 'outOfMemory'
      | 'hostDisk'
      | 'hostMemory'
      | 'certificate'
      | 'queue'
      | 'backupAge'
      | 'quotaNear'
      | 'quotaRefused'
      | 'hostAway';
    /**
     * What it finds, as a part of a sentence.
     */
    text: string;
    /**
     * Whether it is watched here: it is switched off neither here nor for the instance.
     */
    enabled: boolean;
    /**
     * Where it is switched off; null: nowhere.
     */
    offBy: ('project' | 'instance') | null;
  }[];
}
export interface PostProjectAlertRulesBody {
  /**
   * Name, for people. It is part of the messages.
   */
  name: string;
  /**
   * Whether values above or below the threshold are alarming.
   */
  comparison?: 'above' | 'below';
  /**
   * In the unit of the metric; of a count, more than so many within the time.
   */
  threshold: number;
  /**
   * For how long without a break, in seconds; of a count, the time within which it is counted.
   */
  forSeconds?: number;
  /**
   * Whether it is watched.
   */
  enabled?: boolean;
  /**
   * What is watched, of each service by itself.
   */
  metric:
    | 'cpu'
    | 'memory'
    | 'networkIn'
    | 'networkOut'
    | 'diskRead'
    | 'diskWrite'
    | 'diskUsed'
    | 'requests'
    | 'errors'
    | 'latencyP50'
    | 'latencyP99'
    | 'connections'
    | 'restarts'
    | 'outOfMemory'
    | 'cpuPercent'
    | 'memoryPercent'
    | 'errorPercent';
  /**
   * Only this service; absent: each service of the project.
   */
  serviceId?: string;
}
export interface PostProjectAlertRulesReply {
  /**
   * The alert rule.
   */
  rule: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * The project whose services it watches; null: it watches hosts.
     */
    projectId: string | null;
    /**
     * The only service that it watches; null: all of the project.
     */
    serviceId: string | null;
    /**
     * The only host that it watches; null: all, or it watches services.
     */
    runnerId: string | null;
    /**
     * Name, for people.
     */
    name: string;
    /**
     * What is watched.
     */
    metric:
      | 'cpu'
      | 'memory'
      | 'networkIn'
      | 'networkOut'
      | 'diskRead'
      | 'diskWrite'
      | 'diskUsed'
      | 'requests'
      | 'errors'
      | 'latencyP50'
      | 'latencyP99'
      | 'connections'
      | 'restarts'
      | 'outOfMemory'
      | 'cpuPercent'
      | 'memoryPercent'
      | 'errorPercent'
      | 'diskPercent';
    /**
     * Unit of the threshold.
     */
    unit: string;
    /**
     * Whether values above or below the threshold are alarming.
     */
    comparison: 'above' | 'below';
    /**
     * In that unit; of a count, more than so many within the time.
     */
    threshold: number;
    /**
     * For how long without a break, in seconds; of a count, the time within which it is counted.
     */
    forSeconds: number;
    /**
     * Whether it is watched.
     */
    enabled: boolean;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
  };
}
export interface PatchAlertRuleBody {
  /**
   * Name, for people. It is part of the messages.
   */
  name?: string;
  /**
   * Whether values above or below the threshold are alarming.
   */
  comparison?: 'above' | 'below';
  /**
   * In the unit of the metric; of a count, more than so many within the time.
   */
  threshold?: number;
  /**
   * For how long without a break, in seconds; of a count, the time within which it is counted.
   */
  forSeconds?: number;
  /**
   * Whether it is watched.
   */
  enabled?: boolean;
  /**
   * What is watched, of each service by itself.
   */
  metric?:
    | 'cpu'
    | 'memory'
    | 'networkIn'
    | 'networkOut'
    | 'diskRead'
    | 'diskWrite'
    | 'diskUsed'
    | 'requests'
    | 'errors'
    | 'latencyP50'
    | 'latencyP99'
    | 'connections'
    | 'restarts'
    | 'outOfMemory'
    | 'cpuPercent'
    | 'memoryPercent'
    | 'errorPercent';
}
export interface DeleteAlertRuleReply {
  /**
   * The change was made.
   */
  ok: true;
}
export interface PatchProjectDefaultAlertsBody {
  /**
   * Whether "its memory is nearly used up" is watched.
   */
  memory?: boolean;
  /**
   * Whether "it crashes again and again" is watched.
   */
  restarts?: boolean;
  /**
   * Whether "it ran out of memory" is watched.
   */
  outOfMemory?: boolean;
  /**
   * Whether "its disk is nearly full" is watched.
   */
  hostDisk?: boolean;
  /**
   * Whether "its memory is nearly used up" is watched.
   */
  hostMemory?: boolean;
  /**
   * Whether "a certificate ends soon or is not on its host" is watched.
   */
  certificate?: boolean;
  /**
   * Whether "a job waits for long" is watched.
   */
  queue?: boolean;
  /**
   * Whether "its newest backup is too old" is watched.
   */
  backupAge?: boolean;
  /**
   * Whether "a quota is nearly used up" is watched.
   */
  quotaNear?: boolean;
  /**
   * Whether "a quota refuses what is asked for" is watched.
   */
  quotaRefused?: boolean;
  /**
   * Whether "it is not connected" is watched.
   */
  hostAway?: boolean;
}
export interface PatchProjectDefaultAlertsReply {
  /**
   * All default rules as they are now.
   */
  defaults: {
    /**
     * Name of the default rule.
     */
    rule:
      | 'memory'
      | 'restarts'
      | 'outOfMemory'
      | 'hostDisk'
      | 'hostMemory'
      | 'certificate'
      | 'queue'
      | 'backupAge'
      | 'quotaNear'
      | 'quotaRefused'
      | 'hostAway';
    /**
     * What it finds, as a part of a sentence.
     */
    text: string;
    /**
     * Whether it is watched here: it is switched off neither here nor for the instance.
     */
    enabled: boolean;
    /**
     * Where it is switched off; null: nowhere.
     */
    offBy: ('project' | 'instance') | null;
  }[];
}
export interface GetKeyReply {
  key: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * Level of the key.
     */
    access: 'read' | 'deploy' | 'write' | 'destroy' | 'operator';
    /**
     * `all`, or the ids of the projects that the key can access.
     */
    projects: 'all' | string[];
    /**
     * The tenant.
     */
    tenantId?: string;
    /**
     * Only on keys that a key, a member or a trust policy made: the id of that maker.
     */
    madeBy?: string;
    /**
     * Who made the key; absent for keys of the operator.
     */
    maker?: {
      /**
       * What made it.
       */
      type: 'member' | 'key' | 'trust-policy';
      /**
       * Name of the maker.
       */
      name: string;
    };
    /**
     * What it begins with, to recognise it.
     */
    prefix: string | null;
    /**
     * When it was created.
     */
    createdAt: string | null;
    /**
     * When it expires.
     */
    expiresAt: string | null;
    /**
     * When it was last used, to within some minutes; null: never.
     */
    lastUsedAt: string | null;
    /**
     * What the caller may do: the levels that it has, and more.
     */
    may: (
      'read' | 'deploy' | 'write' | 'destroy' | 'create-projects' | 'make-keys' | 'manage-members' | 'operate'
    )[];
    member?: {
      /**
       * Identifier: a prefix of its kind and 16 characters. It never changes.
       */
      id: string;
      /**
       * E-mail address, in lower case. It is not written to.
       */
      email: string;
      /**
       * What the member may do: each role is a level of keys.
       */
      role: 'viewer' | 'deployer' | 'developer' | 'owner';
      /**
       * Where the member has another role than `role`: `may` is not about these projects.
       */
      projectRoles: {
        /**
         * The project that it belongs to.
         */
        projectId: string;
        /**
         * What the member may do: each role is a level of keys.
         */
        role: 'viewer' | 'deployer' | 'developer';
      }[];
    };
  };
}
export interface GetKeysReply {
  keys: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * Level of the key.
     */
    access: 'read' | 'deploy' | 'write' | 'destroy';
    /**
     * `all`, or the ids of the projects that the key can access.
     */
    projects: 'all' | string[];
    /**
     * The tenant.
     */
    tenantId?: string;
    /**
     * Only on keys that a key, a member or a trust policy made: the id of that maker.
     */
    madeBy?: string;
    /**
     * Who made the key; absent for keys of the operator.
     */
    maker?: {
      /**
       * What made it.
       */
      type: 'member' | 'key' | 'trust-policy';
      /**
       * Name of the maker.
       */
      name: string;
    };
    /**
     * What it begins with, to recognise it.
     */
    prefix: string;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it expires.
     */
    expiresAt: string | null;
    /**
     * When it was last used, to within some minutes; null: never.
     */
    lastUsedAt: string | null;
  }[];
  /**
   * `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string;
}
export interface PostKeysBody {
  /**
   * Name, for people. It can be changed.
   */
  name: string;
  /**
   * Level of the key.
   */
  access?: 'read' | 'deploy' | 'write' | 'destroy';
  /**
   * `all`, or the ids of the projects that the key can access.
   */
  projects?: 'all' | [string, ...string[]];
  /**
   * Minutes until it expires.
   */
  expiresInMinutes?: number;
  /**
   * Days until it expires, in place of `expiresInMinutes`. Only for members.
   */
  expiresInDays?: number;
}
export interface PostKeysReply {
  key: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * Level of the key.
     */
    access: 'read' | 'deploy' | 'write' | 'destroy';
    /**
     * `all`, or the ids of the projects that the key can access.
     */
    projects: 'all' | string[];
    /**
     * The tenant.
     */
    tenantId?: string;
    /**
     * Only on keys that a key, a member or a trust policy made: the id of that maker.
     */
    madeBy?: string;
    /**
     * Who made the key; absent for keys of the operator.
     */
    maker?: {
      /**
       * What made it.
       */
      type: 'member' | 'key' | 'trust-policy';
      /**
       * Name of the maker.
       */
      name: string;
    };
    /**
     * What it begins with, to recognise it.
     */
    prefix: string;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it expires.
     */
    expiresAt: string | null;
    /**
     * When it was last used, to within some minutes; null: never.
     */
    lastUsedAt: string | null;
  };
  /**
   * The secret itself. It is shown once.
   */
  token: string;
}
export interface DeleteKeyReply {
  /**
   * The change was made.
   */
  ok: true;
}
export interface GetProjectTrustPoliciesReply {
  /**
   * The trust policies, oldest first.
   */
  trustPolicies: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * The project that it belongs to.
     */
    projectId: string;
    /**
     * The CI service; `other`: an issuer whose tokens are recognised by their subject.
     */
    provider: 'github' | 'gitlab' | 'forgejo' | 'other';
    /**
     * Issuer of the tokens.
     */
    issuer: string;
    /**
     * Owner and name of the repository; null for `other`.
     */
    repository: string | null;
    /**
     * What `sub` of a token must be, as a pattern; null for all but `other`.
     */
    subject: string | null;
    /**
     * What `aud` of a token must contain. Default: the address of this instance in the request that creates the policy.
     */
    audience: string;
    /**
     * Id of the repository at GitHub or of the project at GitLab. Null: the first accepted token sets it, so that no later repository of the same name is trusted.
     */
    repositoryId: string | null;
    /**
     * Id of the owner at GitHub or of the namespace at GitLab. Null: the first accepted token sets it.
     */
    ownerId: string | null;
    /**
     * Trusted branches. `*` stands for any characters but `/`, `**` for any characters.
     */
    branches: string[];
    /**
     * Trusted tags, as patterns like those of `branches`.
     */
    tags: string[];
    /**
     * The environment that the job must name, at GitHub and GitLab; null: any or none.
     */
    environment: string | null;
    /**
     * Trusted events: `event_name` of GitHub and Forgejo, `pipeline_source` of GitLab. Default: those that need write access to the repository.
     */
    events: string[];
    /**
     * Level of the keys.
     */
    access: 'read' | 'deploy' | 'write' | 'destroy';
    /**
     * Minutes until such a key expires.
     */
    expiresInMinutes: number;
    /**
     * Who created it.
     */
    createdBy: {
      /**
       * `push`: a git host reported a push; `schedule`: a schedule of commands or backups; `platform`: the platform itself.
       */
      type: 'member' | 'key' | 'operator' | 'push' | 'schedule' | 'platform';
      /**
       * Id of the member, the key, the operator's session or the schedule; null: there is none.
       */
      id: string | null;
      /**
       * Name at that time of the member, the key, the schedule or the author of the push; null: not known.
       */
      name: string | null;
    };
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
    /**
     * When a job last got a key by it; null: never.
     */
    lastUsedAt: string | null;
  }[];
}
export interface PostProjectTrustPoliciesBody {
  /**
   * The CI service; `other`: an issuer whose tokens are recognised by their subject.
   */
  provider: 'github' | 'gitlab' | 'forgejo' | 'other';
  /**
   * Issuer of the tokens. Default for GitHub and GitLab: the public service. For Forgejo the address of the instance and /api/actions.
   */
  issuer?: string;
  /**
   * Owner and name of the repository; case does not matter. Null only for `other`.
   */
  repository?: string | null;
  /**
   * Only for `other`: what `sub` of a token must be, as a pattern like those of `branches`.
   */
  subject?: string | null;
  /**
   * What `aud` of a token must contain. Default: the address of this instance in the request that creates the policy.
   */
  audience?: string;
  /**
   * Id of the repository at GitHub or of the project at GitLab. Null: the first accepted token sets it, so that no later repository of the same name is trusted.
   */
  repositoryId?: string | null;
  /**
   * Id of the owner at GitHub or of the namespace at GitLab. Null: the first accepted token sets it.
   */
  ownerId?: string | null;
  /**
   * Trusted branches. `*` stands for any characters but `/`, `**` for any characters.
   *
   * @maxItems 20
   */
  branches?: string[];
  /**
   * Trusted tags, as patterns like those of `branches`.
   *
   * @maxItems 20
   */
  tags?: string[];
  /**
   * The environment that the job must name, at GitHub and GitLab; null: any or none.
   */
  environment?: string | null;
  /**
   * Trusted events: `event_name` of GitHub and Forgejo, `pipeline_source` of GitLab. Default: those that need write access to the repository.
   *
   * @maxItems 20
   */
  events?: string[];
  /**
   * Level of the keys.
   */
  access?: 'read' | 'deploy' | 'write';
  /**
   * Minutes until such a key expires.
   */
  expiresInMinutes?: number;
}
export interface PostProjectTrustPoliciesReply {
  /**
   * The trust policy.
   */
  trustPolicy: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * The project that it belongs to.
     */
    projectId: string;
    /**
     * The CI service; `other`: an issuer whose tokens are recognised by their subject.
     */
    provider: 'github' | 'gitlab' | 'forgejo' | 'other';
    /**
     * Issuer of the tokens.
     */
    issuer: string;
    /**
     * Owner and name of the repository; null for `other`.
     */
    repository: string | null;
    /**
     * What `sub` of a token must be, as a pattern; null for all but `other`.
     */
    subject: string | null;
    /**
     * What `aud` of a token must contain. Default: the address of this instance in the request that creates the policy.
     */
    audience: string;
    /**
     * Id of the repository at GitHub or of the project at GitLab. Null: the first accepted token sets it, so that no later repository of the same name is trusted.
     */
    repositoryId: string | null;
    /**
     * Id of the owner at GitHub or of the namespace at GitLab. Null: the first accepted token sets it.
     */
    ownerId: string | null;
    /**
     * Trusted branches. `*` stands for any characters but `/`, `**` for any characters.
     */
    branches: string[];
    /**
     * Trusted tags, as patterns like those of `branches`.
     */
    tags: string[];
    /**
     * The environment that the job must name, at GitHub and GitLab; null: any or none.
     */
    environment: string | null;
    /**
     * Trusted events: `event_name` of GitHub and Forgejo, `pipeline_source` of GitLab. Default: those that need write access to the repository.
     */
    events: string[];
    /**
     * Level of the keys.
     */
    access: 'read' | 'deploy' | 'write' | 'destroy';
    /**
     * Minutes until such a key expires.
     */
    expiresInMinutes: number;
    /**
     * Who created it.
     */
    createdBy: {
      /**
       * `push`: a git host reported a push; `schedule`: a schedule of commands or backups; `platform`: the platform itself.
       */
      type: 'member' | 'key' | 'operator' | 'push' | 'schedule' | 'platform';
      /**
       * Id of the member, the key, the operator's session or the schedule; null: there is none.
       */
      id: string | null;
      /**
       * Name at that time of the member, the key, the schedule or the author of the push; null: not known.
       */
      name: string | null;
    };
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
    /**
     * When a job last got a key by it; null: never.
     */
    lastUsedAt: string | null;
  };
}
export interface PatchTrustPolicyBody {
  /**
   * What `aud` of a token must contain. Default: the address of this instance in the request that creates the policy.
   */
  audience?: string;
  /**
   * Id of the repository at GitHub or of the project at GitLab. Null: the first accepted token sets it, so that no later repository of the same name is trusted.
   */
  repositoryId?: string | null;
  /**
   * Id of the owner at GitHub or of the namespace at GitLab. Null: the first accepted token sets it.
   */
  ownerId?: string | null;
  /**
   * Trusted branches. `*` stands for any characters but `/`, `**` for any characters.
   *
   * @maxItems 20
   */
  branches?: string[];
  /**
   * Trusted tags, as patterns like those of `branches`.
   *
   * @maxItems 20
   */
  tags?: string[];
  /**
   * The environment that the job must name, at GitHub and GitLab; null: any or none.
   */
  environment?: string | null;
  /**
   * Trusted events: `event_name` of GitHub and Forgejo, `pipeline_source` of GitLab. Default: those that need write access to the repository.
   *
   * @maxItems 20
   */
  events?: string[];
  /**
   * Level of the keys.
   */
  access?: 'read' | 'deploy' | 'write';
  /**
   * Minutes until such a key expires.
   */
  expiresInMinutes?: number;
}
export interface DeleteTrustPolicyReply {
  /**
   * The change was made.
   */
  ok: true;
}
export interface PostKeysExchangeBody {
  /**
   * The identity token: a JSON Web Token that the CI service has signed.
   */
  token: string;
  /**
   * Id of the project; of a project of the default tenant also its slug.
   */
  project: string;
}
export interface PostSessionsBody {
  /**
   * As which the person recognises the browser.
   */
  name?: string;
}
export interface PostSessionsReply {
  session: {
    /**
     * Id of the session.
     */
    id: string;
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * A browser, or a command line that a member signed in by a browser.
     */
    kind: 'browser' | 'command-line';
    /**
     * Level of the key.
     */
    access: 'read' | 'deploy' | 'write' | 'destroy';
    /**
     * The key that signed in.
     */
    keyId: string;
    /**
     * Other members, by whose links it was opened, the first one first. It ends when one of them is no longer an owner.
     */
    linkedBy: {
      /**
       * Identifier: a prefix of its kind and 16 characters. It never changes.
       */
      id: string;
      /**
       * Name, for people. It can be changed.
       */
      name: string;
    }[];
    /**
     * Whether this request came from it.
     */
    isCurrent: boolean;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it expires.
     */
    expiresAt: string;
    /**
     * When it was last used, to within some minutes; null: never.
     */
    lastUsedAt: string | null;
  };
  /**
   * For the header X-Longshore-Session of each later request.
   */
  proof: string;
}
export interface GetSignInLinkReply {
  /**
   * Whom the link signs in, and where.
   */
  signIn: {
    /**
     * Of the member or the key.
     */
    name: string;
    /**
     * Of the member; null: it signs in a key.
     */
    email: string | null;
    /**
     * The tenant.
     */
    tenant: string;
    /**
     * Other members, by whose links it was opened, the first one first. It ends when one of them is no longer an owner.
     */
    linkedBy: {
      /**
       * Identifier: a prefix of its kind and 16 characters. It never changes.
       */
      id: string;
      /**
       * Name, for people. It can be changed.
       */
      name: string;
    }[];
  };
}
export interface GetSessionsReply {
  sessions: {
    /**
     * Id of the session.
     */
    id: string;
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * A browser, or a command line that a member signed in by a browser.
     */
    kind: 'browser' | 'command-line';
    /**
     * Level of the key.
     */
    access: 'read' | 'deploy' | 'write' | 'destroy';
    /**
     * The key that signed in.
     */
    keyId: string;
    /**
     * Other members, by whose links it was opened, the first one first. It ends when one of them is no longer an owner.
     */
    linkedBy: {
      /**
       * Identifier: a prefix of its kind and 16 characters. It never changes.
       */
      id: string;
      /**
       * Name, for people. It can be changed.
       */
      name: string;
    }[];
    /**
     * Whether this request came from it.
     */
    isCurrent: boolean;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it expires.
     */
    expiresAt: string;
    /**
     * When it was last used, to within some minutes; null: never.
     */
    lastUsedAt: string | null;
  }[];
  /**
   * Open links that another member has made, with which one more browser can sign in as you.
   */
  links: {
    /**
     * Id of the link.
     */
    id: string;
    /**
     * Other members, by whose links it was opened, the first one first. It ends when one of them is no longer an owner.
     */
    linkedBy: {
      /**
       * Identifier: a prefix of its kind and 16 characters. It never changes.
       */
      id: string;
      /**
       * Name, for people. It can be changed.
       */
      name: string;
    }[];
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it expires.
     */
    expiresAt: string;
  }[];
}
export interface DeleteSessionReply {
  /**
   * The change was made.
   */
  ok: true;
}
export interface PostSignInLinksReply {
  link: {
    /**
     * Open it below the address of the instance.
     */
    path: string;
    /**
     * When it expires.
     */
    expiresAt: string;
  };
}
export interface GetSignInReply {
  providers: {
    /**
     * Id of the provider.
     */
    id: string;
    /**
     * Its kind.
     */
    kind: 'oidc' | 'cloudflare-access';
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * False: Cloudflare Access has not signed this request.
     */
    available: boolean;
  }[];
  /**
   * `here`: some work at this host name. `elsewhere`: some work at other names of this instance only, never at an IP address.
   */
  passkeys: 'here' | 'elsewhere' | 'none';
}
export interface PostSignInOidcBody {
  /**
   * Id of a connected provider.
   */
  providerId: string;
}
export interface PostSignInOidcReply {
  /**
   * The page of the provider.
   */
  location: string;
  /**
   * The parameter `state` of the address, which the provider sends back.
   */
  state: string;
  /**
   * For the request that continues it: the page keeps it.
   */
  proof: string;
}
export interface PostSignInOidcFinishBody {
  /**
   * That of the start.
   */
  proof: string;
  /**
   * The query with which the provider sent the browser back.
   */
  response: string;
  /**
   * The path to which the provider sent the browser back: that of `redirectUri`.
   */
  callback?: string;
}
export interface PostSignInOidcFinishReply {
  /**
   * Opens one session: POST /api/sessions with it as the Bearer token, at once.
   */
  code: string;
  /**
   * When it expires.
   */
  expiresAt: string;
}
export interface PostSignInPasskeyReply {
  /**
   * For PublicKeyCredential.parseRequestOptionsFromJSON().
   */
  publicKey: {
    /**
     * What the device signs, base64url.
     */
    challenge: string;
    /**
     * The host name of the instance.
     */
    rpId: string;
    /**
     * Milliseconds in which the device has to answer.
     */
    timeout: number;
    /**
     * The device verifies the person.
     */
    userVerification: 'required';
  };
}
export interface PostSignInPasskeyFinishBody {
  /**
   * What navigator.credentials.get() gave, by its toJSON().
   */
  credential: {
    /**
     * Id of the passkey, base64url.
     */
    id: string;
    /**
     * The id again, as browsers send it.
     */
    rawId: string;
    /**
     * Always `public-key`.
     */
    type: 'public-key';
    /**
     * What the device has made.
     */
    response: {
      /**
       * What the browser says of its page, base64url.
       */
      clientDataJSON: string;
      /**
       * What the device says of this answer, base64url.
       */
      authenticatorData: string;
      /**
       * By the key of the passkey, base64url.
       */
      signature: string;
      /**
       * By which the device knows the member, base64url.
       */
      userHandle: string;
    };
  };
}
export interface PostSignInDeviceBody {
  /**
   * Name of the device, such as its host name.
   */
  name: string;
  /**
   * Version of the command line.
   */
  version: string;
}
export interface PostSignInDeviceReply {
  /**
   * The secret of the device. Each exchange replaces it.
   */
  deviceToken: string;
  /**
   * For the person, who compares and enters it.
   */
  userCode: string;
  /**
   * Where the person enters the code.
   */
  path: string;
  /**
   * When it expires.
   */
  expiresAt: string;
  /**
   * Seconds to wait before the next request.
   */
  intervalSeconds: number;
}
export interface PostSignInDeviceExchangeBody {
  /**
   * The secret of the device. Each exchange replaces it.
   */
  deviceToken: string;
}
export interface PostSignInDeviceFindBody {
  /**
   * The code that the command line shows.
   */
  userCode: string;
}
export interface PostSignInDeviceFindReply {
  /**
   * What the command line says of itself, and where it asked from.
   */
  device: {
    /**
     * Name of the device, such as its host name.
     */
    name: string;
    /**
     * Version of the command line.
     */
    version: string;
    /**
     * Address from which it asked; of IPv6 the network.
     */
    address: string;
    /**
     * When it asked.
     */
    askedAt: string;
    /**
     * When it expires.
     */
    expiresAt: string;
  };
}
export interface PostSignInDeviceAllowReply {
  /**
   * Id of the session.
   */
  sessionId: string;
}
export interface PostSignInDeviceDenyReply {
  /**
   * The change was made.
   */
  ok: true;
}
export interface GetPasskeysReply {
  /**
   * The passkeys, oldest first.
   */
  passkeys: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * The host name of the instance where it works.
     */
    rpId: string;
    /**
     * As the device names it.
     */
    credentialId: string;
    /**
     * Whether a password manager has copied it to other devices.
     */
    isSynced: boolean;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it was last used, to within some minutes; null: never.
     */
    lastUsedAt: string | null;
  }[];
  /**
   * How the member can sign in without a passkey.
   */
  otherWays: {
    /**
     * Names of the providers where the member has signed in.
     */
    providers: string[];
    /**
     * Whether another owner can make a sign-in link. Otherwise only the operator can.
     */
    hasOtherOwner: boolean;
  };
}
export interface PostPasskeysOptionsReply {
  /**
   * For PublicKeyCredential.parseCreationOptionsFromJSON().
   */
  publicKey: {
    /**
     * The instance, as the device shows it.
     */
    rp: {
      /**
       * Host name of the instance.
       */
      id: string;
      /**
       * Name, for people. It can be changed.
       */
      name: string;
    };
    /**
     * The member, as the device shows it.
     */
    user: {
      /**
       * Id of the member, base64url.
       */
      id: string;
      /**
       * Name, for people. It can be changed.
       */
      name: string;
      /**
       * Name of the member.
       */
      displayName: string;
    };
    /**
     * What the device signs, base64url.
     */
    challenge: string;
    /**
     * Kinds of keys that are accepted, the preferred one first.
     */
    pubKeyCredParams: {
      /**
       * Always `public-key`.
       */
      type: 'public-key';
      /**
       * COSE algorithm: -8, -7 or -257.
       */
      alg: number;
    }[];
    /**
     * Milliseconds in which the device has to answer.
     */
    timeout: number;
    /**
     * Passkeys that the member has already.
     */
    excludeCredentials: {
      /**
       * Id of the passkey, base64url.
       */
      id: string;
      /**
       * Always `public-key`.
       */
      type: 'public-key';
      /**
       * How the browser reaches the device.
       */
      transports: string[];
    }[];
    /**
     * What the device has to be able to do.
     */
    authenticatorSelection: {
      /**
       * The device finds the passkey without an address.
       */
      residentKey: 'required';
      /**
       * The same, for older browsers.
       */
      requireResidentKey: boolean;
      /**
       * The device verifies the person.
       */
      userVerification: 'required';
    };
    /**
     * Certificates of the device are not asked for.
     */
    attestation: 'none';
  };
}
export interface PostPasskeysBody {
  /**
   * As which you recognise it.
   */
  name: string;
  /**
   * What navigator.credentials.create() gave, by its toJSON().
   */
  credential: {
    /**
     * Id of the passkey, base64url.
     */
    id: string;
    /**
     * The id again, as browsers send it.
     */
    rawId: string;
    /**
     * Always `public-key`.
     */
    type: 'public-key';
    /**
     * What the device has made.
     */
    response: {
      /**
       * What the browser says of its page, base64url.
       */
      clientDataJSON: string;
      /**
       * The new key and facts about its device, base64url.
       */
      attestationObject: string;
      /**
       * How the browser reaches the device.
       *
       * @maxItems 10
       */
      transports?: string[];
    };
  };
}
export interface PostPasskeysReply {
  passkey: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * The host name of the instance where it works.
     */
    rpId: string;
    /**
     * As the device names it.
     */
    credentialId: string;
    /**
     * Whether a password manager has copied it to other devices.
     */
    isSynced: boolean;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it was last used, to within some minutes; null: never.
     */
    lastUsedAt: string | null;
  };
}
export interface PatchPasskeyBody {
  /**
   * Name, for people. It can be changed.
   */
  name: string;
}
export interface DeletePasskeyReply {
  /**
   * How many passkeys the member still has.
   */
  passkeysLeft: number;
  /**
   * How the member can sign in without a passkey.
   */
  otherWays: {
    /**
     * Names of the providers where the member has signed in.
     */
    providers: string[];
    /**
     * Whether another owner can make a sign-in link. Otherwise only the operator can.
     */
    hasOtherOwner: boolean;
  };
}
export interface GetIdentitiesReply {
  /**
   * The accounts, in the order in which their providers were connected.
   */
  identities: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Id of a connected provider.
     */
    providerId: string;
    /**
     * Its kind.
     */
    kind: 'oidc' | 'cloudflare-access';
    /**
     * Of the provider.
     */
    name: string;
    /**
     * False: the operator has disabled the provider, or has given it another issuer.
     */
    isUsable: boolean;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it was last used, to within some minutes; null: never.
     */
    lastUsedAt: string;
  }[];
  /**
   * Providers where you can add an account.
   */
  providers: {
    /**
     * Id of the provider.
     */
    id: string;
    /**
     * Its kind.
     */
    kind: 'oidc' | 'cloudflare-access';
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * False: Cloudflare Access has not signed this request.
     */
    available: boolean;
  }[];
  /**
   * How the member can sign in.
   */
  ways: {
    /**
     * How many passkeys the member has.
     */
    passkeys: number;
    /**
     * Names of the providers where the member signs in.
     */
    providers: string[];
    /**
     * Whether another owner can make a sign-in link. Otherwise only the operator can.
     */
    hasOtherOwner: boolean;
  };
}
export interface PostIdentitiesAttemptsBody {
  /**
   * Id of a connected provider.
   */
  providerId: string;
}
export interface PostIdentitiesAttemptsReply {
  /**
   * The page of the provider.
   */
  location: string;
  /**
   * The parameter `state` of the address, which the provider sends back.
   */
  state: string;
  /**
   * For the request that continues it: the page keeps it.
   */
  proof: string;
}
export interface PostIdentitiesReply {
  identity: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Id of a connected provider.
     */
    providerId: string;
    /**
     * Its kind.
     */
    kind: 'oidc' | 'cloudflare-access';
    /**
     * Of the provider.
     */
    name: string;
    /**
     * False: the operator has disabled the provider, or has given it another issuer.
     */
    isUsable: boolean;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it was last used, to within some minutes; null: never.
     */
    lastUsedAt: string;
  };
}
export interface DeleteIdentityReply {
  /**
   * How the member can sign in.
   */
  ways: {
    /**
     * How many passkeys the member has.
     */
    passkeys: number;
    /**
     * Names of the providers where the member signs in.
     */
    providers: string[];
    /**
     * Whether another owner can make a sign-in link. Otherwise only the operator can.
     */
    hasOtherOwner: boolean;
  };
}
export interface GetMembersReply {
  /**
   * The members, and the open invitations.
   */
  members: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * E-mail address, in lower case. It is not written to.
     */
    email: string;
    /**
     * What the member may do: each role is a level of keys.
     */
    role: 'viewer' | 'deployer' | 'developer' | 'owner';
    /**
     * `all`, or the ids of the projects that the member can access.
     */
    projects: 'all' | string[];
    /**
     * Roles in single projects, in place of `role`.
     */
    projectRoles: {
      /**
       * The project that it belongs to.
       */
      projectId: string;
      /**
       * What the member may do: each role is a level of keys.
       */
      role: 'viewer' | 'deployer' | 'developer';
    }[];
    /**
     * The member who invited; null: the operator, or nobody.
     */
    invitedBy: string | null;
    /**
     * Null: invited, and not signed in yet.
     */
    acceptedAt: string | null;
    /**
     * End of the open link of the member; null: there is none.
     */
    linkExpiresAt: string | null;
    /**
     * When it was last used, to within some minutes; null: never.
     */
    lastUsedAt: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
  }[];
  /**
   * `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string;
}
export interface PostMembersBody {
  /**
   * E-mail address, in lower case. It is not written to.
   */
  email: string;
  /**
   * Name, for people. It can be changed.
   */
  name: string;
  /**
   * What the member may do: each role is a level of keys.
   */
  role: 'viewer' | 'deployer' | 'developer' | 'owner';
  /**
   * `all`, or the ids of the projects that the member can access.
   */
  projects?: 'all' | [string, ...string[]];
  /**
   * Roles in single projects, in place of `role`: more there, or less.
   *
   * @maxItems 500
   */
  projectRoles?: {
    /**
     * The project that it belongs to.
     */
    projectId: string;
    /**
     * What the member may do: each role is a level of keys.
     */
    role: 'viewer' | 'deployer' | 'developer';
  }[];
}
export interface PostMembersReply {
  member: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * E-mail address, in lower case. It is not written to.
     */
    email: string;
    /**
     * What the member may do: each role is a level of keys.
     */
    role: 'viewer' | 'deployer' | 'developer' | 'owner';
    /**
     * `all`, or the ids of the projects that the member can access.
     */
    projects: 'all' | string[];
    /**
     * Roles in single projects, in place of `role`.
     */
    projectRoles: {
      /**
       * The project that it belongs to.
       */
      projectId: string;
      /**
       * What the member may do: each role is a level of keys.
       */
      role: 'viewer' | 'deployer' | 'developer';
    }[];
    /**
     * The member who invited; null: the operator, or nobody.
     */
    invitedBy: string | null;
    /**
     * Null: invited, and not signed in yet.
     */
    acceptedAt: string | null;
    /**
     * End of the open link of the member; null: there is none.
     */
    linkExpiresAt: string | null;
    /**
     * When it was last used, to within some minutes; null: never.
     */
    lastUsedAt: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
  };
  link: {
    /**
     * Open it below the address of the instance. Shown once.
     */
    path: string;
    /**
     * When it expires.
     */
    expiresAt: string;
  };
}
export interface PatchMemberBody {
  /**
   * Name, for people. It can be changed.
   */
  name?: string;
  /**
   * What the member may do: each role is a level of keys.
   */
  role?: 'viewer' | 'deployer' | 'developer' | 'owner';
  /**
   * `all`, or the ids of the projects that the member can access.
   */
  projects?: 'all' | [string, ...string[]];
  /**
   * Roles in single projects, in place of `role`: more there, or less.
   *
   * @maxItems 500
   */
  projectRoles?: {
    /**
     * The project that it belongs to.
     */
    projectId: string;
    /**
     * What the member may do: each role is a level of keys.
     */
    role: 'viewer' | 'deployer' | 'developer';
  }[];
}
export interface PatchMemberReply {
  member: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * E-mail address, in lower case. It is not written to.
     */
    email: string;
    /**
     * What the member may do: each role is a level of keys.
     */
    role: 'viewer' | 'deployer' | 'developer' | 'owner';
    /**
     * `all`, or the ids of the projects that the member can access.
     */
    projects: 'all' | string[];
    /**
     * Roles in single projects, in place of `role`.
     */
    projectRoles: {
      /**
       * The project that it belongs to.
       */
      projectId: string;
      /**
       * What the member may do: each role is a level of keys.
       */
      role: 'viewer' | 'deployer' | 'developer';
    }[];
    /**
     * The member who invited; null: the operator, or nobody.
     */
    invitedBy: string | null;
    /**
     * Null: invited, and not signed in yet.
     */
    acceptedAt: string | null;
    /**
     * End of the open link of the member; null: there is none.
     */
    linkExpiresAt: string | null;
    /**
     * When it was last used, to within some minutes; null: never.
     */
    lastUsedAt: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
  };
}
export interface DeleteMemberReply {
  /**
   * The change was made.
   */
  ok: true;
}
export interface PostMemberLinksReply {
  link: {
    /**
     * Open it below the address of the instance. Shown once.
     */
    path: string;
    /**
     * When it expires.
     */
    expiresAt: string;
  };
}
export interface DeleteMembershipReply {
  /**
   * The change was made.
   */
  ok: true;
  /**
   * What remains of the member.
   */
  detail: string;
}
export interface GetAuditReply {
  /**
   * Entries, newest first.
   */
  entries: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * The key's tenant; null for the operator.
     */
    tenantId: string | null;
    /**
     * The credential that was used: a key or a session, `operator`, `system`, or a webhook.
     */
    actor: string;
    /**
     * The member, key or other initiator behind `actor`; null if that was not recorded yet.
     */
    actedBy: {
      /**
       * `push`: a git host reported a push; `schedule`: a schedule of commands or backups; `platform`: the platform itself.
       */
      type: 'member' | 'key' | 'operator' | 'push' | 'schedule' | 'platform';
      /**
       * Id of the member, the key, the operator's session or the schedule; null: there is none.
       */
      id: string | null;
      /**
       * Name at that time of the member, the key, the schedule or the author of the push; null: not known.
       */
      name: string | null;
    } | null;
    /**
     * Method and path pattern, or the type of an event.
     */
    route: string;
    /**
     * What it was done to.
     */
    resourceId: string | null;
    /**
     * HTTP status of the answer.
     */
    status: number;
    /**
     * Id of the request, also in the header X-Request-Id.
     */
    requestId: string;
    /**
     * Hash of the client address.
     */
    addressHash: string;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * What happened or what it waits for, as a sentence.
     */
    detail:
      | (
          | {
              /**
               * The service that it belongs to.
               */
              serviceId: string;
              /**
               * Name of the container.
               */
              container: string;
              /**
               * How long it lasted.
               */
              seconds?: number;
              /**
               * Bytes of input.
               */
              bytesIn?: number;
              /**
               * Bytes of output.
               */
              bytesOut?: number;
              /**
               * Exit code of the command; null until it has ended by itself.
               */
              exitCode?: number | null;
              /**
               * Why, as a sentence; null if there is nothing to say.
               */
              reason?: string | null;
            }
          | {
              /**
               * Members who made the links that led to this session, the first one first.
               */
              linkedBy: string[];
            }
          | {
              /**
               * Host name, in lower case.
               */
              hostname: string;
              /**
               * Addresses of others to which the name pointed before.
               */
              replaced: string[];
            }
          | {
              /**
               * The field of the trust policy that the identity token of a job does not fulfil.
               */
              brokenRule: string;
            }
        )
      | null;
  }[];
  /**
   * `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string;
}
export interface GetSystemKeysReply {
  keys: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * Level of the key.
     */
    access: 'read' | 'deploy' | 'write' | 'destroy';
    /**
     * `all`, or the ids of the projects that the key can access.
     */
    projects: 'all' | string[];
    /**
     * The tenant.
     */
    tenantId?: string;
    /**
     * Only on keys that a key, a member or a trust policy made: the id of that maker.
     */
    madeBy?: string;
    /**
     * Who made the key; absent for keys of the operator.
     */
    maker?: {
      /**
       * What made it.
       */
      type: 'member' | 'key' | 'trust-policy';
      /**
       * Name of the maker.
       */
      name: string;
    };
    /**
     * What it begins with, to recognise it.
     */
    prefix: string;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it expires.
     */
    expiresAt: string | null;
    /**
     * When it was last used, to within some minutes; null: never.
     */
    lastUsedAt: string | null;
  }[];
  /**
   * `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string;
}
export interface PostSystemKeysBody {
  /**
   * Name, for people. It can be changed.
   */
  name: string;
  /**
   * Level of the key.
   */
  access: 'read' | 'deploy' | 'write' | 'destroy';
  /**
   * "all", or the ids or slugs of projects.
   */
  projects: 'all' | [string, ...string[]];
  /**
   * Days until it expires; null: it does not.
   */
  expiresInDays?: number | null;
  /**
   * Minutes until it expires, in place of `expiresInDays`.
   */
  expiresInMinutes?: number;
  /**
   * The tenant.
   */
  tenantId?: string;
}
export interface PostSystemKeyRotateBody {
  /**
   * Whether the old token stops at once; otherwise it works for 24 h more.
   */
  immediately?: boolean;
}
export interface DeleteSystemKeyReply {
  /**
   * The change was made.
   */
  ok: true;
}
export interface PostSystemSessionsBody {
  /**
   * As which the operator recognises the browser.
   */
  name?: string;
}
export interface PostSystemSessionsReply {
  session: {
    /**
     * Id of the session.
     */
    id: string;
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * Whether this request came from it.
     */
    isCurrent: boolean;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it expires.
     */
    expiresAt: string;
    /**
     * When it was last used, to within some minutes; null: never.
     */
    lastUsedAt: string | null;
  };
  /**
   * For the header X-Longshore-Operator of each later request.
   */
  proof: string;
}
export interface GetSystemSessionsReply {
  sessions: {
    /**
     * Id of the session.
     */
    id: string;
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * Whether this request came from it.
     */
    isCurrent: boolean;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it expires.
     */
    expiresAt: string;
    /**
     * When it was last used, to within some minutes; null: never.
     */
    lastUsedAt: string | null;
  }[];
}
export interface PostSystemSignInLinksReply {
  link: {
    /**
     * Open it below the address of the instance.
     */
    path: string;
    /**
     * When it expires.
     */
    expiresAt: string;
  };
}
export interface GetSystemRunnersReply {
  runners: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * The tenant.
     */
    tenantId?: string;
    /**
     * Whether services of other tenants may run on it.
     */
    shared: boolean;
    /**
     * Version of runc that the operator trusts although it reports no fixes.
     */
    trustedRunc: string | null;
    /**
     * What a shared host lacks to keep tenants apart, what follows, and the way out; else null.
     */
    warning: string | null;
    /**
     * Whether it is connected.
     */
    connected: boolean;
    /**
     * Whether it accepts no new services and jobs.
     */
    drained: boolean;
    /**
     * How many services are on it, or are going to move to it.
     */
    services: number;
    /**
     * Since when it is connected; null: it is not.
     */
    connectedAt: string | null;
    /**
     * When its connection was last lost.
     */
    disconnectedAt: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * What the host reports about itself.
     */
    facts: {
      /**
       * Version of the runner.
       */
      version: string;
      /**
       * The release of runners: its version and the first characters of its checksum. Null: none, such as that of a clone.
       */
      release: string | null;
      /**
       * Architecture of its processors.
       */
      arch: string;
      /**
       * Processors.
       */
      cpus: number;
      /**
       * Memory in megabytes.
       */
      memoryMb: number;
      /**
       * Version of Docker; null while Docker does not answer.
       */
      dockerVersion: string | null;
      /**
       * Whether Docker has the fixes of its builder of January 2024; null: unknown.
       */
      buildFixes: boolean | null;
      /**
       * Version of runc; null: unknown.
       */
      runcVersion: string | null;
      /**
       * Whether runc has the fixes of November 2025; null: unknown.
       */
      runcFixes: boolean | null;
      /**
       * Whether Docker has its init process, docker-init; null: unknown.
       */
      initProcess: boolean | null;
      /**
       * Whether running containers are in an AppArmor profile; null: Docker uses no AppArmor, or none runs.
       */
      appArmor: boolean | null;
      /**
       * Whether the control plane may upgrade its runner.
       */
      takesUpgrades: boolean;
      /**
       * Whether commands can run in containers that run already.
       */
      liveCommands: boolean;
      /**
       * Whether the host can ask registries for the digest of an image.
       */
      imageDigests: boolean;
      /**
       * Whether the host answers for many services at once, and measures the 95th percentile and answers by status.
       */
      manyMetrics: boolean;
      /**
       * How its last upgrade ended; null: it had none.
       */
      lastUpgrade: {
        /**
         * The release that was to be installed.
         */
        version: string;
        /**
         * Whether it runs now. Otherwise the one before does.
         */
        ok: boolean;
        /**
         * What happened or what it waits for, as a sentence.
         */
        detail: string;
        /**
         * When, in epoch milliseconds.
         */
        at: number;
      } | null;
      /**
       * Why the host does no work: its runner can't start, or is too old. null: it works.
       */
      trouble: string | null;
      /**
       * How the host keeps tenants apart.
       */
      isolation: {
        /**
         * State of the firewall rules.
         */
        firewall: 'in-place' | 'missing' | 'unsupported';
        /**
         * Why the rules are not in place; null: they are.
         */
        firewallProblem: string | null;
        /**
         * Whether Docker maps users of containers to others of the host.
         */
        userNamespaces: boolean;
        /**
         * Whether Docker can limit the disk space of a container.
         */
        storageLimits: boolean;
      };
      /**
       * Address of the host for DNS records.
       */
      publicIp: string | null;
      /**
       * Port for HTTP.
       */
      httpPort: number;
      /**
       * Port for HTTPS.
       */
      httpsPort: number;
      /**
       * Ports for apps.
       */
      webPorts: {
        /**
         * First port of the block.
         */
        first: number;
        /**
         * Last port of the block.
         */
        last: number;
      };
      /**
       * Ports for databases.
       */
      databasePorts: {
        /**
         * First port of the block.
         */
        first: number;
        /**
         * Last port of the block.
         */
        last: number;
      };
      /**
       * Ports for databases on which a program listens.
       */
      busyPorts: number[];
      /**
       * Ports for apps that another program has.
       */
      foreignPorts: number[];
    };
  }[];
  /**
   * `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string;
}
export interface PostSystemRunnersBody {
  /**
   * Name, for people. It can be changed.
   */
  name?: string;
  /**
   * The tenant.
   */
  tenantId?: string;
  /**
   * Whether services of other tenants may run on it.
   */
  shared?: boolean;
}
export interface PostSystemRunnersReply {
  /**
   * The secret itself. It is shown once.
   */
  token: string;
  /**
   * When it expires.
   */
  expiresAt: string;
  /**
   * The command to run.
   */
  command: string;
  /**
   * What is not as it should be, as a sentence; null: nothing.
   */
  warning: string | null;
}
export interface PatchSystemRunnerBody {
  /**
   * Name, for people. It can be changed.
   */
  name?: string;
  /**
   * Whether it accepts no new services and jobs.
   */
  drained?: boolean;
  /**
   * The tenant.
   */
  tenantId?: string;
  /**
   * Whether services of other tenants may run on it.
   */
  shared?: boolean;
  /**
   * Version of runc that the operator trusts although it reports no fixes.
   */
  trustedRunc?: string | null;
}
export interface PatchSystemRunnerReply {
  runner: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * The tenant.
     */
    tenantId?: string;
    /**
     * Whether services of other tenants may run on it.
     */
    shared: boolean;
    /**
     * Version of runc that the operator trusts although it reports no fixes.
     */
    trustedRunc: string | null;
    /**
     * What a shared host lacks to keep tenants apart, what follows, and the way out; else null.
     */
    warning: string | null;
    /**
     * Whether it is connected.
     */
    connected: boolean;
    /**
     * Whether it accepts no new services and jobs.
     */
    drained: boolean;
    /**
     * How many services are on it, or are going to move to it.
     */
    services: number;
    /**
     * Since when it is connected; null: it is not.
     */
    connectedAt: string | null;
    /**
     * When its connection was last lost.
     */
    disconnectedAt: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * What the host reports about itself.
     */
    facts: {
      /**
       * Version of the runner.
       */
      version: string;
      /**
       * The release of runners: its version and the first characters of its checksum. Null: none, such as that of a clone.
       */
      release: string | null;
      /**
       * Architecture of its processors.
       */
      arch: string;
      /**
       * Processors.
       */
      cpus: number;
      /**
       * Memory in megabytes.
       */
      memoryMb: number;
      /**
       * Version of Docker; null while Docker does not answer.
       */
      dockerVersion: string | null;
      /**
       * Whether Docker has the fixes of its builder of January 2024; null: unknown.
       */
      buildFixes: boolean | null;
      /**
       * Version of runc; null: unknown.
       */
      runcVersion: string | null;
      /**
       * Whether runc has the fixes of November 2025; null: unknown.
       */
      runcFixes: boolean | null;
      /**
       * Whether Docker has its init process, docker-init; null: unknown.
       */
      initProcess: boolean | null;
      /**
       * Whether running containers are in an AppArmor profile; null: Docker uses no AppArmor, or none runs.
       */
      appArmor: boolean | null;
      /**
       * Whether the control plane may upgrade its runner.
       */
      takesUpgrades: boolean;
      /**
       * Whether commands can run in containers that run already.
       */
      liveCommands: boolean;
      /**
       * Whether the host can ask registries for the digest of an image.
       */
      imageDigests: boolean;
      /**
       * Whether the host answers for many services at once, and measures the 95th percentile and answers by status.
       */
      manyMetrics: boolean;
      /**
       * How its last upgrade ended; null: it had none.
       */
      lastUpgrade: {
        /**
         * The release that was to be installed.
         */
        version: string;
        /**
         * Whether it runs now. Otherwise the one before does.
         */
        ok: boolean;
        /**
         * What happened or what it waits for, as a sentence.
         */
        detail: string;
        /**
         * When, in epoch milliseconds.
         */
        at: number;
      } | null;
      /**
       * Why the host does no work: its runner can't start, or is too old. null: it works.
       */
      trouble: string | null;
      /**
       * How the host keeps tenants apart.
       */
      isolation: {
        /**
         * State of the firewall rules.
         */
        firewall: 'in-place' | 'missing' | 'unsupported';
        /**
         * Why the rules are not in place; null: they are.
         */
        firewallProblem: string | null;
        /**
         * Whether Docker maps users of containers to others of the host.
         */
        userNamespaces: boolean;
        /**
         * Whether Docker can limit the disk space of a container.
         */
        storageLimits: boolean;
      };
      /**
       * Address of the host for DNS records.
       */
      publicIp: string | null;
      /**
       * Port for HTTP.
       */
      httpPort: number;
      /**
       * Port for HTTPS.
       */
      httpsPort: number;
      /**
       * Ports for apps.
       */
      webPorts: {
        /**
         * First port of the block.
         */
        first: number;
        /**
         * Last port of the block.
         */
        last: number;
      };
      /**
       * Ports for databases.
       */
      databasePorts: {
        /**
         * First port of the block.
         */
        first: number;
        /**
         * Last port of the block.
         */
        last: number;
      };
      /**
       * Ports for databases on which a program listens.
       */
      busyPorts: number[];
      /**
       * Ports for apps that another program has.
       */
      foreignPorts: number[];
    };
  };
}
export interface PostSystemRunnerUpgradeReply {
  /**
   * Whether it began; false: one was running already.
   */
  started: boolean;
}
export interface GetSystemUpgradesReply {
  /**
   * The release that this control plane offers; null: it offers none.
   */
  release: string | null;
  /**
   * Hosts that take upgrades and lack the release.
   */
  outdatedHosts: number;
  /**
   * The last rounds of upgrades, newest first.
   */
  rounds: {
    /**
     * Id of the round.
     */
    id: string;
    /**
     * The release that its hosts got.
     */
    release: string;
    /**
     * `complete`: every connected host has it; `ended`: the window closed, or another release came; `stopped`: a host failed.
     */
    state: 'running' | 'complete' | 'ended' | 'stopped';
    /**
     * Hosts that the round has upgraded.
     */
    upgraded: number;
    /**
     * The host that is being upgraded, or that failed.
     */
    runnerId: string | null;
    /**
     * Why that host failed, or why it could not be asked yet.
     */
    error: string | null;
    /**
     * When it started; null until then.
     */
    startedAt: string;
    /**
     * When it ended; null until then.
     */
    finishedAt: string | null;
  }[];
}
export interface DeleteSystemRunnerReply {
  /**
   * The change was made.
   */
  ok: true;
}
export interface GetSystemRunnerMetricsReply {
  /**
   * What was measured, in steps of time.
   */
  metrics: {
    /**
     * Begin of the first step.
     */
    from: string;
    /**
     * End of the last step.
     */
    to: string;
    /**
     * Length of each step. Point n is for the step that begins at `from` + n × `stepSeconds`.
     */
    stepSeconds: number;
    /**
     * When something was last measured; null: never.
     */
    lastAt: string | null;
    /**
     * How long ago that was; null: never.
     */
    ageSeconds: number | null;
    /**
     * What may be used; null: no limit, or not known.
     */
    limits: {
      /**
       * Processors.
       */
      cpu: number | null;
      /**
       * Bytes of memory.
       */
      memory: number | null;
      /**
       * Bytes of the disk; null for services.
       */
      disk: number | null;
    };
    /**
     * What the host has: the most that a service without a limit may use.
     */
    host: {
      /**
       * Processors.
       */
      cpu: number;
      /**
       * Bytes of memory.
       */
      memory: number;
    };
    /**
     * The series, in the order of the request.
     */
    series: {
      /**
       * Name of the series.
       */
      name:
        | 'cpu'
        | 'memory'
        | 'networkIn'
        | 'networkOut'
        | 'diskRead'
        | 'diskWrite'
        | 'diskUsed'
        | 'requests'
        | 'errors'
        | 'status2xx'
        | 'status3xx'
        | 'status4xx'
        | 'latencyP50'
        | 'latencyP95'
        | 'latencyP99'
        | 'connections'
        | 'restarts'
        | 'outOfMemory';
      /**
       * Unit of the values. `restarts` and `kills` are counted in each step; all others are rates or levels.
       */
      unit: string;
      /**
       * The mean of each step; a count: its sum. null: not known.
       */
      average: (number | null)[];
      /**
       * The largest part of each step; null: not known.
       */
      maximum: (number | null)[];
    }[];
  };
}
export interface GetSystemAiProvidersReply {
  providers: {
    /**
     * Id of the provider.
     */
    id: string;
    /**
     * Its kind.
     */
    kind: 'openai-compatible' | 'anthropic' | 'workers-ai';
    /**
     * Address of the API of the model.
     */
    baseUrl: string;
    /**
     * Model for requests that name none.
     */
    defaultModel: string;
    /**
     * Whether it is switched on.
     */
    enabled: boolean;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
  }[];
}
export interface PostSystemAiProvidersReply {
  provider: {
    /**
     * Id of the provider.
     */
    id: string;
    /**
     * Its kind.
     */
    kind: 'openai-compatible' | 'anthropic' | 'workers-ai';
    /**
     * Address of the API of the model.
     */
    baseUrl: string;
    /**
     * Model for requests that name none.
     */
    defaultModel: string;
    /**
     * Whether it is switched on.
     */
    enabled: boolean;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
  };
}
export interface PatchSystemAiProviderBody {
  /**
   * Address of the API of the model.
   */
  baseUrl?: string;
  /**
   * API key. Stored encrypted, never returned.
   */
  apiKey?: string | null;
  /**
   * Model for requests that name none.
   */
  defaultModel?: string;
  /**
   * Whether it is switched on.
   */
  enabled?: boolean;
}
export interface DeleteSystemAiProviderReply {
  /**
   * The change was made.
   */
  ok: true;
}
export interface PostSystemAiProviderTestReply {
  result: {
    /**
     * Whether it succeeded.
     */
    ok: boolean;
    /**
     * Name of the provider's model; absent: its default.
     */
    model: string;
    /**
     * What happened or what it waits for, as a sentence.
     */
    detail: string;
    /**
     * How long it took, in milliseconds.
     */
    durationMs: number;
  };
}
export interface GetSystemTenantsReply {
  tenants: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * Limits of the tenant; null: none.
     */
    quotas: {
      /**
       * Number of projects.
       */
      projects: number | null;
      /**
       * Number of services.
       */
      services: number | null;
      /**
       * Number of custom domains, verified or not.
       */
      domains: number | null;
      /**
       * Number of volumes of services that are no databases.
       */
      volumes: number | null;
      /**
       * Jobs that run at the same time on all hosts together; further jobs wait.
       */
      concurrentBuilds: number | null;
      /**
       * Sum of the services' memoryLimitMb, that of each replica.
       */
      memoryMb: number | null;
      /**
       * Bytes of all backups, deleted ones that are kept included.
       */
      backupBytes: number | null;
      /**
       * Bytes of the logs of ended deployments and commands, compressed as they are stored, and of their copies in the archive.
       */
      logBytes: number | null;
      /**
       * Sum of what databases and containers hold on the disks of hosts, in units of 2^20 bytes, as last measured.
       */
      diskMb: number | null;
      /**
       * Deleted services, projects and backups that can still be restored.
       */
      keptDeletions: number | null;
      /**
       * How much data of deleted things is kept for a restore, in bytes.
       */
      keptDeletionBytes: number | null;
      /**
       * Upper limit for one container in units of 2^20 bytes, and the limit of a service without `memoryLimitMb`.
       */
      containerMemoryMb: number | null;
      /**
       * Upper limit for one container in processors, and the limit of a service without `cpuLimit`.
       */
      containerCpus: number | null;
      /**
       * Processes and threads of one container.
       */
      containerPids: number | null;
      /**
       * Open files of each process in a container.
       */
      containerOpenFiles: number | null;
      /**
       * What one container may write outside its data volume, in units of 2^20 bytes. A container above it is stopped.
       */
      containerDiskMb: number | null;
      /**
       * Minutes that builds may take per day (UTC), from their start to their end.
       */
      buildMinutesPerDay: number | null;
      /**
       * Output of builds that is kept per day (UTC), in bytes.
       */
      buildLogBytesPerDay: number | null;
      /**
       * Open streams of one log per key.
       */
      logReadersPerKey: number | null;
    };
    /**
     * Current usage, and that of today, per quota.
     */
    usage: {
      /**
       * Number of projects.
       */
      projects: number;
      /**
       * Number of services.
       */
      services: number;
      /**
       * Number of custom domains, verified or not.
       */
      domains: number;
      /**
       * Number of volumes of services that are no databases.
       */
      volumes: number;
      /**
       * Jobs that run at the same time on all hosts together; further jobs wait.
       */
      concurrentBuilds: number;
      /**
       * Sum of the services' memoryLimitMb, that of each replica.
       */
      memoryMb: number;
      /**
       * Bytes of all backups, deleted ones that are kept included.
       */
      backupBytes: number;
      /**
       * Bytes of the logs of ended deployments and commands, compressed as they are stored, and of their copies in the archive.
       */
      logBytes: number;
      /**
       * Sum of what databases and containers hold on the disks of hosts, in units of 2^20 bytes, as last measured.
       */
      diskMb: number;
      /**
       * Deleted services, projects and backups that can still be restored.
       */
      keptDeletions: number;
      /**
       * How much data of deleted things is kept for a restore, in bytes.
       */
      keptDeletionBytes: number;
      /**
       * Minutes that builds may take per day (UTC), from their start to their end.
       */
      buildMinutesPerDay: number;
      /**
       * Output of builds that is kept per day (UTC), in bytes.
       */
      buildLogBytesPerDay: number;
    };
    /**
     * When it was created.
     */
    createdAt: string;
  }[];
  /**
   * `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string;
}
export interface PostSystemTenantsBody {
  /**
   * Name, for people. It can be changed.
   */
  name: string;
  /**
   * Limits of the tenant; null: none.
   */
  quotas?: {
    /**
     * Number of projects.
     */
    projects?: number | null;
    /**
     * Number of services.
     */
    services?: number | null;
    /**
     * Number of custom domains, verified or not.
     */
    domains?: number | null;
    /**
     * Number of volumes of services that are no databases.
     */
    volumes?: number | null;
    /**
     * Jobs that run at the same time on all hosts together; further jobs wait.
     */
    concurrentBuilds?: number | null;
    /**
     * Sum of the services' memoryLimitMb, that of each replica.
     */
    memoryMb?: number | null;
    /**
     * Bytes of all backups, deleted ones that are kept included.
     */
    backupBytes?: number | null;
    /**
     * Bytes of the logs of ended deployments and commands, compressed as they are stored, and of their copies in the archive.
     */
    logBytes?: number | null;
    /**
     * Sum of what databases and containers hold on the disks of hosts, in units of 2^20 bytes, as last measured.
     */
    diskMb?: number | null;
    /**
     * Deleted services, projects and backups that can still be restored.
     */
    keptDeletions?: number | null;
    /**
     * How much data of deleted things is kept for a restore, in bytes.
     */
    keptDeletionBytes?: number | null;
    /**
     * Upper limit for one container in units of 2^20 bytes, and the limit of a service without `memoryLimitMb`.
     */
    containerMemoryMb?: number | null;
    /**
     * Upper limit for one container in processors, and the limit of a service without `cpuLimit`.
     */
    containerCpus?: number | null;
    /**
     * Processes and threads of one container.
     */
    containerPids?: number | null;
    /**
     * Open files of each process in a container.
     */
    containerOpenFiles?: number | null;
    /**
     * What one container may write outside its data volume, in units of 2^20 bytes. A container above it is stopped.
     */
    containerDiskMb?: number | null;
    /**
     * Minutes that builds may take per day (UTC), from their start to their end.
     */
    buildMinutesPerDay?: number | null;
    /**
     * Output of builds that is kept per day (UTC), in bytes.
     */
    buildLogBytesPerDay?: number | null;
    /**
     * Open streams of one log per key.
     */
    logReadersPerKey?: number | null;
  };
}
export interface PostSystemTenantsReply {
  tenant: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * Limits of the tenant; null: none.
     */
    quotas: {
      /**
       * Number of projects.
       */
      projects: number | null;
      /**
       * Number of services.
       */
      services: number | null;
      /**
       * Number of custom domains, verified or not.
       */
      domains: number | null;
      /**
       * Number of volumes of services that are no databases.
       */
      volumes: number | null;
      /**
       * Jobs that run at the same time on all hosts together; further jobs wait.
       */
      concurrentBuilds: number | null;
      /**
       * Sum of the services' memoryLimitMb, that of each replica.
       */
      memoryMb: number | null;
      /**
       * Bytes of all backups, deleted ones that are kept included.
       */
      backupBytes: number | null;
      /**
       * Bytes of the logs of ended deployments and commands, compressed as they are stored, and of their copies in the archive.
       */
      logBytes: number | null;
      /**
       * Sum of what databases and containers hold on the disks of hosts, in units of 2^20 bytes, as last measured.
       */
      diskMb: number | null;
      /**
       * Deleted services, projects and backups that can still be restored.
       */
      keptDeletions: number | null;
      /**
       * How much data of deleted things is kept for a restore, in bytes.
       */
      keptDeletionBytes: number | null;
      /**
       * Upper limit for one container in units of 2^20 bytes, and the limit of a service without `memoryLimitMb`.
       */
      containerMemoryMb: number | null;
      /**
       * Upper limit for one container in processors, and the limit of a service without `cpuLimit`.
       */
      containerCpus: number | null;
      /**
       * Processes and threads of one container.
       */
      containerPids: number | null;
      /**
       * Open files of each process in a container.
       */
      containerOpenFiles: number | null;
      /**
       * What one container may write outside its data volume, in units of 2^20 bytes. A container above it is stopped.
       */
      containerDiskMb: number | null;
      /**
       * Minutes that builds may take per day (UTC), from their start to their end.
       */
      buildMinutesPerDay: number | null;
      /**
       * Output of builds that is kept per day (UTC), in bytes.
       */
      buildLogBytesPerDay: number | null;
      /**
       * Open streams of one log per key.
       */
      logReadersPerKey: number | null;
    };
    /**
     * Current usage, and that of today, per quota.
     */
    usage: {
      /**
       * Number of projects.
       */
      projects: number;
      /**
       * Number of services.
       */
      services: number;
      /**
       * Number of custom domains, verified or not.
       */
      domains: number;
      /**
       * Number of volumes of services that are no databases.
       */
      volumes: number;
      /**
       * Jobs that run at the same time on all hosts together; further jobs wait.
       */
      concurrentBuilds: number;
      /**
       * Sum of the services' memoryLimitMb, that of each replica.
       */
      memoryMb: number;
      /**
       * Bytes of all backups, deleted ones that are kept included.
       */
      backupBytes: number;
      /**
       * Bytes of the logs of ended deployments and commands, compressed as they are stored, and of their copies in the archive.
       */
      logBytes: number;
      /**
       * Sum of what databases and containers hold on the disks of hosts, in units of 2^20 bytes, as last measured.
       */
      diskMb: number;
      /**
       * Deleted services, projects and backups that can still be restored.
       */
      keptDeletions: number;
      /**
       * How much data of deleted things is kept for a restore, in bytes.
       */
      keptDeletionBytes: number;
      /**
       * Minutes that builds may take per day (UTC), from their start to their end.
       */
      buildMinutesPerDay: number;
      /**
       * Output of builds that is kept per day (UTC), in bytes.
       */
      buildLogBytesPerDay: number;
    };
    /**
     * When it was created.
     */
    createdAt: string;
  };
}
export interface PatchSystemTenantBody {
  /**
   * Name, for people. It can be changed.
   */
  name?: string;
  /**
   * Limits of the tenant; null: none.
   */
  quotas?: {
    /**
     * Number of projects.
     */
    projects?: number | null;
    /**
     * Number of services.
     */
    services?: number | null;
    /**
     * Number of custom domains, verified or not.
     */
    domains?: number | null;
    /**
     * Number of volumes of services that are no databases.
     */
    volumes?: number | null;
    /**
     * Jobs that run at the same time on all hosts together; further jobs wait.
     */
    concurrentBuilds?: number | null;
    /**
     * Sum of the services' memoryLimitMb, that of each replica.
     */
    memoryMb?: number | null;
    /**
     * Bytes of all backups, deleted ones that are kept included.
     */
    backupBytes?: number | null;
    /**
     * Bytes of the logs of ended deployments and commands, compressed as they are stored, and of their copies in the archive.
     */
    logBytes?: number | null;
    /**
     * Sum of what databases and containers hold on the disks of hosts, in units of 2^20 bytes, as last measured.
     */
    diskMb?: number | null;
    /**
     * Deleted services, projects and backups that can still be restored.
     */
    keptDeletions?: number | null;
    /**
     * How much data of deleted things is kept for a restore, in bytes.
     */
    keptDeletionBytes?: number | null;
    /**
     * Upper limit for one container in units of 2^20 bytes, and the limit of a service without `memoryLimitMb`.
     */
    containerMemoryMb?: number | null;
    /**
     * Upper limit for one container in processors, and the limit of a service without `cpuLimit`.
     */
    containerCpus?: number | null;
    /**
     * Processes and threads of one container.
     */
    containerPids?: number | null;
    /**
     * Open files of each process in a container.
     */
    containerOpenFiles?: number | null;
    /**
     * What one container may write outside its data volume, in units of 2^20 bytes. A container above it is stopped.
     */
    containerDiskMb?: number | null;
    /**
     * Minutes that builds may take per day (UTC), from their start to their end.
     */
    buildMinutesPerDay?: number | null;
    /**
     * Output of builds that is kept per day (UTC), in bytes.
     */
    buildLogBytesPerDay?: number | null;
    /**
     * Open streams of one log per key.
     */
    logReadersPerKey?: number | null;
  };
}
export interface DeleteSystemTenantReply {
  /**
   * The change was made.
   */
  ok: true;
}
export interface GetSystemTenantDataKeysReply {
  /**
   * State of the data keys.
   */
  dataKeys: {
    /**
     * Projects of the tenant, deleted ones that are kept included.
     */
    projects: number;
    /**
     * Projects whose data key is being renewed.
     */
    projectsInProgress: number;
    /**
     * Values that are still under an older key.
     */
    rowsToReseal: number;
    /**
     * When the oldest data key was made.
     */
    oldestKeyMadeAt: string | null;
  };
}
export interface DeleteSystemMemberReply {
  /**
   * The change was made.
   */
  ok: true;
}
export interface GetSystemIdentityProvidersReply {
  providers: {
    /**
     * As the sign-in page shows it.
     */
    name: string;
    /**
     * URL of the provider, below which is /.well-known/openid-configuration; of Cloudflare Access the address of the team.
     */
    issuer: string;
    /**
     * Of Cloudflare Access: the audience (AUD) tag of the application.
     */
    clientId: string;
    /**
     * Takes each address as verified, for a provider that does not send "email_verified" and lets nobody choose an address.
     */
    trustsEmail: boolean;
    /**
     * Whether it is switched on.
     */
    enabled: boolean;
    /**
     * Whether `redirectUri` is an address of this provider only, which protects against answers of another one. False for providers that were connected before there was one: register `ownRedirectUri` at the provider, then set it to true.
     */
    ownCallback: boolean;
    /**
     * Domains of addresses by which people are recognised at first; empty: any.
     */
    emailDomains: string[];
    /**
     * What people get who sign in without an invitation; null: they are refused.
     */
    newMembers: {
      /**
       * What the member may do: each role is a level of keys.
       */
      role: 'viewer' | 'deployer' | 'developer';
      /**
       * `all`, or the ids of the projects that the member can access.
       */
      projects: 'all' | string[];
    } | null;
    /**
     * Id of the provider.
     */
    id: string;
    /**
     * Its kind.
     */
    kind: 'oidc' | 'cloudflare-access';
    /**
     * The tenant.
     */
    tenantId: string;
    /**
     * To be registered at the provider. Null: Cloudflare Access needs none.
     */
    redirectUri: string | null;
    /**
     * What `redirectUri` becomes with `ownCallback`; null if it is that.
     */
    ownRedirectUri: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
  }[];
}
export interface PostSystemIdentityProvidersBody {
  /**
   * As the sign-in page shows it.
   */
  name: string;
  /**
   * URL of the provider, below which is /.well-known/openid-configuration; of Cloudflare Access the address of the team.
   */
  issuer: string;
  /**
   * Of Cloudflare Access: the audience (AUD) tag of the application.
   */
  clientId: string;
  /**
   * Null: a public client, or Cloudflare Access. Stored encrypted, never returned.
   */
  clientSecret?: string | null;
  /**
   * Domains of addresses by which people are recognised at first; empty: any.
   *
   * @maxItems 50
   */
  emailDomains?: string[];
  /**
   * Takes each address as verified, for a provider that does not send "email_verified" and lets nobody choose an address.
   */
  trustsEmail?: boolean;
  /**
   * What people get who sign in without an invitation; null: they are refused.
   */
  newMembers?: {
    /**
     * What the member may do: each role is a level of keys.
     */
    role: 'viewer' | 'deployer' | 'developer';
    /**
     * `all`, or the ids of the projects that the member can access.
     */
    projects?: 'all' | [string, ...string[]];
  } | null;
  /**
   * Whether it is switched on.
   */
  enabled?: boolean;
  /**
   * Whether `redirectUri` is an address of this provider only, which protects against answers of another one. False for providers that were connected before there was one: register `ownRedirectUri` at the provider, then set it to true.
   */
  ownCallback?: boolean;
  /**
   * Id of the provider, chosen by you.
   */
  id: string;
  /**
   * Its kind.
   */
  kind: 'oidc' | 'cloudflare-access';
  /**
   * The tenant.
   */
  tenantId?: string;
}
export interface PostSystemIdentityProvidersReply {
  provider: {
    /**
     * As the sign-in page shows it.
     */
    name: string;
    /**
     * URL of the provider, below which is /.well-known/openid-configuration; of Cloudflare Access the address of the team.
     */
    issuer: string;
    /**
     * Of Cloudflare Access: the audience (AUD) tag of the application.
     */
    clientId: string;
    /**
     * Takes each address as verified, for a provider that does not send "email_verified" and lets nobody choose an address.
     */
    trustsEmail: boolean;
    /**
     * Whether it is switched on.
     */
    enabled: boolean;
    /**
     * Whether `redirectUri` is an address of this provider only, which protects against answers of another one. False for providers that were connected before there was one: register `ownRedirectUri` at the provider, then set it to true.
     */
    ownCallback: boolean;
    /**
     * Domains of addresses by which people are recognised at first; empty: any.
     */
    emailDomains: string[];
    /**
     * What people get who sign in without an invitation; null: they are refused.
     */
    newMembers: {
      /**
       * What the member may do: each role is a level of keys.
       */
      role: 'viewer' | 'deployer' | 'developer';
      /**
       * `all`, or the ids of the projects that the member can access.
       */
      projects: 'all' | string[];
    } | null;
    /**
     * Id of the provider.
     */
    id: string;
    /**
     * Its kind.
     */
    kind: 'oidc' | 'cloudflare-access';
    /**
     * The tenant.
     */
    tenantId: string;
    /**
     * To be registered at the provider. Null: Cloudflare Access needs none.
     */
    redirectUri: string | null;
    /**
     * What `redirectUri` becomes with `ownCallback`; null if it is that.
     */
    ownRedirectUri: string | null;
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * When it last changed.
     */
    updatedAt: string;
  };
}
export interface PatchSystemIdentityProviderBody {
  /**
   * As the sign-in page shows it.
   */
  name?: string;
  /**
   * URL of the provider, below which is /.well-known/openid-configuration; of Cloudflare Access the address of the team.
   */
  issuer?: string;
  /**
   * Of Cloudflare Access: the audience (AUD) tag of the application.
   */
  clientId?: string;
  /**
   * Null: a public client, or Cloudflare Access. Stored encrypted, never returned.
   */
  clientSecret?: string | null;
  /**
   * Domains of addresses by which people are recognised at first; empty: any.
   *
   * @maxItems 50
   */
  emailDomains?: string[];
  /**
   * Takes each address as verified, for a provider that does not send "email_verified" and lets nobody choose an address.
   */
  trustsEmail?: boolean;
  /**
   * What people get who sign in without an invitation; null: they are refused.
   */
  newMembers?: {
    /**
     * What the member may do: each role is a level of keys.
     */
    role: 'viewer' | 'deployer' | 'developer';
    /**
     * `all`, or the ids of the projects that the member can access.
     */
    projects?: 'all' | [string, ...string[]];
  } | null;
  /**
   * Whether it is switched on.
   */
  enabled?: boolean;
  /**
   * Whether `redirectUri` is an address of this provider only, which protects against answers of another one. False for providers that were connected before there was one: register `ownRedirectUri` at the provider, then set it to true.
   */
  ownCallback?: boolean;
}
export interface DeleteSystemIdentityProviderReply {
  /**
   * The change was made.
   */
  ok: true;
}
export interface PostSystemIdentityProviderTestReply {
  result: {
    /**
     * Whether it succeeded.
     */
    ok: boolean;
    /**
     * What was tried, in order.
     */
    checks: {
      /**
       * The field to correct if it is not ok.
       */
      field: 'issuer' | 'clientId' | 'clientSecret';
      /**
       * Whether it succeeded.
       */
      ok: boolean;
      /**
       * What happened or what it waits for, as a sentence.
       */
      detail: string;
    }[];
  };
}
export interface GetSystemDeletedReply {
  /**
   * What was deleted, newest first.
   */
  deleted: {
    /**
     * Id of the deleted service, project, backup or volume.
     */
    id: string;
    /**
     * Its kind.
     */
    kind: 'service' | 'project' | 'backup' | 'volume';
    /**
     * Its name; that of its service for a backup.
     */
    name: string;
    /**
     * The project that it belongs to.
     */
    projectId: string;
    /**
     * Name of the project.
     */
    projectName: string;
    /**
     * The service that it belongs to.
     */
    serviceId: string | null;
    /**
     * Name of the service that it is or was part of; null for a project.
     */
    serviceName: string | null;
    /**
     * When it was deleted.
     */
    deletedAt: string;
    /**
     * Until when it can be restored.
     */
    restorableUntil: string;
    /**
     * Bytes of its backups, which still count against the quota.
     */
    backupBytes: number;
    /**
     * The request that restores it.
     */
    restore: string;
    /**
     * The tenant.
     */
    tenantId: string;
    /**
     * Hosts that keep data or images of it.
     */
    runnerIds: string[];
    /**
     * Whether it is being removed permanently.
     */
    purging: boolean;
  }[];
  /**
   * `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string;
}
export interface PostSystemDeletedPurgeReply {
  /**
   * The change was made.
   */
  ok: true;
}
export interface PatchSystemServiceBody {
  /**
   * Whether it, its project and its backups are kept from deletion.
   */
  protected: boolean;
}
export interface PatchSystemServiceReply {
  service: Service;
}
export interface GetSystemFailedSignInsReply {
  /**
   * Failed sign-ins by minute and address.
   */
  failedSignIns: {
    /**
     * The minute that is counted.
     */
    minute: string;
    /**
     * Hash of the client address.
     */
    addressHash: string;
    /**
     * How many.
     */
    count: number;
  }[];
  /**
   * `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string;
}
export interface GetSystemSettingsReply {
  settings: {
    /**
     * Parent of generated host names; null: `localhost`.
     */
    rootDomain: string | null;
    /**
     * Address of the host for DNS records.
     */
    publicIp: string | null;
    /**
     * The variables whose values keys with read access see.
     */
    readKeysSee: 'plain' | 'all' | 'none';
    /**
     * Explains failures if the request names no provider. Null: the builtin rules, so no data leaves the platform.
     */
    defaultAiProviderId: string | null;
    /**
     * Allows plain http and private addresses for AI providers: for self-hosted models on this machine or its network.
     */
    allowPrivateAiProviders: boolean;
    /**
     * Allows plain http and private addresses for identity providers, and in the default tenant for issuers of trust policies: for self-hosted ones on this machine or its network.
     */
    allowPrivateSignInProviders: boolean;
    /**
     * Where events are sent; null: nowhere.
     */
    eventWebhook: {
      /**
       * Its address.
       */
      url: string;
    } | null;
    /**
     * Allows plain http and a private address for the event webhook: for a self-hosted receiver.
     */
    allowPrivateEventWebhook: boolean;
    /**
     * The bucket for backup copies; null: the Worker's own bucket.
     */
    backupBucket: {
      /**
       * URL of the S3 API without the bucket: `https://s3.eu-central-1.amazonaws.com`.
       */
      endpoint: string;
      /**
       * The region in request signatures; many servers accept any, such as `us-east-1`.
       */
      region: string;
      /**
       * Name of the bucket.
       */
      bucket: string;
      /**
       * Id of the access key.
       */
      accessKeyId: string;
      /**
       * Prefix of every object name, so that several instances can share a bucket.
       */
      prefix: string;
      /**
       * True: the bucket is in the URL path, which every server supports. False: it is part of the host name.
       */
      pathStyle: boolean;
    } | null;
    /**
     * Allows plain http and a private address for the backup bucket: for a self-hosted server.
     */
    allowPrivateBackupBucket: boolean;
    /**
     * Reads per key and minute.
     */
    readsPerMinute: number;
    /**
     * Writes per key and minute.
     */
    writesPerMinute: number;
    /**
     * Failed sign-ins per client address and minute.
     */
    failedSignInsPerMinute: number;
    /**
     * Days for which the audit log is kept.
     */
    auditDays: number;
    /**
     * Days for which logs of deployments are kept.
     */
    logDays: number;
    /**
     * Days for which a log stays in the archive in the bucket, from its end. Null: no log is archived.
     */
    logArchiveDays: number | null;
    /**
     * Requests to objects that the platform allows a day: 100000 on the free plan of Cloudflare. From half of it on, logs come less often. Null: no limit.
     */
    objectRequestsPerDay: number | null;
    /**
     * How long history is kept. Fields that are absent in a request stay as they are.
     */
    retention: {
      /**
       * Days for which deployments and commands are kept.
       */
      deploymentDays: number;
      /**
       * The newest deployments, and as many of the newest commands, of each service that are kept longer.
       */
      deploymentsPerService: number;
      /**
       * Days for which finished jobs of backups, restores, imports and drills are kept once nothing refers to them.
       */
      jobDays: number;
      /**
       * Days for which events are kept.
       */
      eventDays: number;
    };
    /**
     * Limits of every tenant but the default one, unless its quotas say otherwise.
     */
    tenantLimits: {
      /**
       * Upper limit for one container in units of 2^20 bytes, and the limit of a service without `memoryLimitMb`.
       */
      containerMemoryMb: number | null;
      /**
       * Upper limit for one container in processors, and the limit of a service without `cpuLimit`.
       */
      containerCpus: number | null;
      /**
       * Processes and threads of one container.
       */
      containerPids: number | null;
      /**
       * Open files of each process in a container.
       */
      containerOpenFiles: number | null;
      /**
       * What one container may write outside its data volume, in units of 2^20 bytes. A container above it is stopped.
       */
      containerDiskMb: number | null;
      /**
       * Minutes that builds may take per day (UTC), from their start to their end.
       */
      buildMinutesPerDay: number | null;
      /**
       * Output of builds that is kept per day (UTC), in bytes.
       */
      buildLogBytesPerDay: number | null;
      /**
       * Open streams of one log per key.
       */
      logReadersPerKey: number | null;
    };
    /**
     * Hours for which deleted things can be restored; 0: not at all.
     */
    keepDeletedHours: number;
    /**
     * When hosts get the release that this control plane offers, one after the other; null: only by hand.
     */
    hostUpgrades: {
      /**
       * Begin, as a time of the day.
       */
      from: string;
      /**
       * End; before `from`: on the next day.
       */
      to: string;
      /**
       * IANA time zone.
       */
      timeZone: string;
      /**
       * The days on which it begins; all, if absent.
       *
       * @minItems 1
       * @maxItems 7
       */
      days: [
        'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun',
        ...('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[],
      ];
    } | null;
    /**
     * Nightly dumps of the database that stay in the bucket; 0: none are made.
     */
    keepDumps: number;
    /**
     * Web origins that may call the API from a browser.
     *
     * @maxItems 20
     */
    corsOrigins: string[];
  };
}
export interface PatchSystemSettingsBody {
  /**
   * Parent of generated host names; null: `localhost`.
   */
  rootDomain?: string | null;
  /**
   * Address of the host for DNS records.
   */
  publicIp?: string | null;
  /**
   * The variables whose values keys with read access see.
   */
  readKeysSee?: 'plain' | 'all' | 'none';
  /**
   * Explains failures if the request names no provider. Null: the builtin rules, so no data leaves the platform.
   */
  defaultAiProviderId?: string | null;
  /**
   * Allows plain http and private addresses for AI providers: for self-hosted models on this machine or its network.
   */
  allowPrivateAiProviders?: boolean;
  /**
   * Allows plain http and private addresses for identity providers, and in the default tenant for issuers of trust policies: for self-hosted ones on this machine or its network.
   */
  allowPrivateSignInProviders?: boolean;
  /**
   * Where events are sent; null: nowhere.
   */
  eventWebhook?: {
    /**
     * Its address.
     */
    url: string;
    /**
     * Signs the events. Absent: the current secret is kept; if there is none, one is generated and shown once in the answer.
     */
    secret?: string;
  } | null;
  /**
   * Allows plain http and a private address for the event webhook: for a self-hosted receiver.
   */
  allowPrivateEventWebhook?: boolean;
  /**
   * The bucket for backup copies; null: the Worker's own bucket.
   */
  backupBucket?: {
    /**
     * URL of the S3 API without the bucket: `https://s3.eu-central-1.amazonaws.com`.
     */
    endpoint: string;
    /**
     * The region in request signatures; many servers accept any, such as `us-east-1`.
     */
    region: string;
    /**
     * Name of the bucket.
     */
    bucket: string;
    /**
     * Id of the access key.
     */
    accessKeyId: string;
    /**
     * Prefix of every object name, so that several instances can share a bucket.
     */
    prefix?: string;
    /**
     * True: the bucket is in the URL path, which every server supports. False: it is part of the host name.
     */
    pathStyle?: boolean;
    /**
     * Secret of the access key. Stored encrypted, never returned.
     */
    secretAccessKey?: string;
  } | null;
  /**
   * Allows plain http and a private address for the backup bucket: for a self-hosted server.
   */
  allowPrivateBackupBucket?: boolean;
  /**
   * Reads per key and minute.
   */
  readsPerMinute?: number;
  /**
   * Writes per key and minute.
   */
  writesPerMinute?: number;
  /**
   * Failed sign-ins per client address and minute.
   */
  failedSignInsPerMinute?: number;
  /**
   * Days for which the audit log is kept.
   */
  auditDays?: number;
  /**
   * Days for which logs of deployments are kept.
   */
  logDays?: number;
  /**
   * Days for which a log stays in the archive in the bucket, from its end. Null: no log is archived.
   */
  logArchiveDays?: number | null;
  /**
   * Requests to objects that the platform allows a day: 100000 on the free plan of Cloudflare. From half of it on, logs come less often. Null: no limit.
   */
  objectRequestsPerDay?: number | null;
  /**
   * How long history is kept. Fields that are absent in a request stay as they are.
   */
  retention?: {
    /**
     * Days for which deployments and commands are kept.
     */
    deploymentDays?: number;
    /**
     * The newest deployments, and as many of the newest commands, of each service that are kept longer.
     */
    deploymentsPerService?: number;
    /**
     * Days for which finished jobs of backups, restores, imports and drills are kept once nothing refers to them.
     */
    jobDays?: number;
    /**
     * Days for which events are kept.
     */
    eventDays?: number;
  };
  /**
   * Limits of every tenant but the default one, unless its quotas say otherwise.
   */
  tenantLimits?: {
    /**
     * Upper limit for one container in units of 2^20 bytes, and the limit of a service without `memoryLimitMb`.
     */
    containerMemoryMb?: number | null;
    /**
     * Upper limit for one container in processors, and the limit of a service without `cpuLimit`.
     */
    containerCpus?: number | null;
    /**
     * Processes and threads of one container.
     */
    containerPids?: number | null;
    /**
     * Open files of each process in a container.
     */
    containerOpenFiles?: number | null;
    /**
     * What one container may write outside its data volume, in units of 2^20 bytes. A container above it is stopped.
     */
    containerDiskMb?: number | null;
    /**
     * Minutes that builds may take per day (UTC), from their start to their end.
     */
    buildMinutesPerDay?: number | null;
    /**
     * Output of builds that is kept per day (UTC), in bytes.
     */
    buildLogBytesPerDay?: number | null;
    /**
     * Open streams of one log per key.
     */
    logReadersPerKey?: number | null;
  };
  /**
   * Hours for which deleted things can be restored; 0: not at all.
   */
  keepDeletedHours?: number;
  /**
   * When hosts get the release that this control plane offers, one after the other; null: only by hand.
   */
  hostUpgrades?: {
    /**
     * Begin, as a time of the day.
     */
    from: string;
    /**
     * End; before `from`: on the next day.
     */
    to: string;
    /**
     * IANA time zone.
     */
    timeZone: string;
    /**
     * The days on which it begins; all, if absent.
     *
     * @minItems 1
     * @maxItems 7
     */
    days?: [
      'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun',
      ...('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[],
    ];
  } | null;
  /**
   * Nightly dumps of the database that stay in the bucket; 0: none are made.
   */
  keepDumps?: number;
  /**
   * Web origins that may call the API from a browser.
   *
   * @maxItems 20
   */
  corsOrigins?: string[];
  /**
   * With "backupBucket": leave existing copies in the current bucket, because they were moved to the new one or are no longer needed.
   */
  leaveBackupCopies?: boolean;
}
export interface PatchSystemSettingsReply {
  settings: {
    /**
     * Parent of generated host names; null: `localhost`.
     */
    rootDomain: string | null;
    /**
     * Address of the host for DNS records.
     */
    publicIp: string | null;
    /**
     * The variables whose values keys with read access see.
     */
    readKeysSee: 'plain' | 'all' | 'none';
    /**
     * Explains failures if the request names no provider. Null: the builtin rules, so no data leaves the platform.
     */
    defaultAiProviderId: string | null;
    /**
     * Allows plain http and private addresses for AI providers: for self-hosted models on this machine or its network.
     */
    allowPrivateAiProviders: boolean;
    /**
     * Allows plain http and private addresses for identity providers, and in the default tenant for issuers of trust policies: for self-hosted ones on this machine or its network.
     */
    allowPrivateSignInProviders: boolean;
    /**
     * Where events are sent; null: nowhere.
     */
    eventWebhook: {
      /**
       * Its address.
       */
      url: string;
    } | null;
    /**
     * Allows plain http and a private address for the event webhook: for a self-hosted receiver.
     */
    allowPrivateEventWebhook: boolean;
    /**
     * The bucket for backup copies; null: the Worker's own bucket.
     */
    backupBucket: {
      /**
       * URL of the S3 API without the bucket: `https://s3.eu-central-1.amazonaws.com`.
       */
      endpoint: string;
      /**
       * The region in request signatures; many servers accept any, such as `us-east-1`.
       */
      region: string;
      /**
       * Name of the bucket.
       */
      bucket: string;
      /**
       * Id of the access key.
       */
      accessKeyId: string;
      /**
       * Prefix of every object name, so that several instances can share a bucket.
       */
      prefix: string;
      /**
       * True: the bucket is in the URL path, which every server supports. False: it is part of the host name.
       */
      pathStyle: boolean;
    } | null;
    /**
     * Allows plain http and a private address for the backup bucket: for a self-hosted server.
     */
    allowPrivateBackupBucket: boolean;
    /**
     * Reads per key and minute.
     */
    readsPerMinute: number;
    /**
     * Writes per key and minute.
     */
    writesPerMinute: number;
    /**
     * Failed sign-ins per client address and minute.
     */
    failedSignInsPerMinute: number;
    /**
     * Days for which the audit log is kept.
     */
    auditDays: number;
    /**
     * Days for which logs of deployments are kept.
     */
    logDays: number;
    /**
     * Days for which a log stays in the archive in the bucket, from its end. Null: no log is archived.
     */
    logArchiveDays: number | null;
    /**
     * Requests to objects that the platform allows a day: 100000 on the free plan of Cloudflare. From half of it on, logs come less often. Null: no limit.
     */
    objectRequestsPerDay: number | null;
    /**
     * How long history is kept. Fields that are absent in a request stay as they are.
     */
    retention: {
      /**
       * Days for which deployments and commands are kept.
       */
      deploymentDays: number;
      /**
       * The newest deployments, and as many of the newest commands, of each service that are kept longer.
       */
      deploymentsPerService: number;
      /**
       * Days for which finished jobs of backups, restores, imports and drills are kept once nothing refers to them.
       */
      jobDays: number;
      /**
       * Days for which events are kept.
       */
      eventDays: number;
    };
    /**
     * Limits of every tenant but the default one, unless its quotas say otherwise.
     */
    tenantLimits: {
      /**
       * Upper limit for one container in units of 2^20 bytes, and the limit of a service without `memoryLimitMb`.
       */
      containerMemoryMb: number | null;
      /**
       * Upper limit for one container in processors, and the limit of a service without `cpuLimit`.
       */
      containerCpus: number | null;
      /**
       * Processes and threads of one container.
       */
      containerPids: number | null;
      /**
       * Open files of each process in a container.
       */
      containerOpenFiles: number | null;
      /**
       * What one container may write outside its data volume, in units of 2^20 bytes. A container above it is stopped.
       */
      containerDiskMb: number | null;
      /**
       * Minutes that builds may take per day (UTC), from their start to their end.
       */
      buildMinutesPerDay: number | null;
      /**
       * Output of builds that is kept per day (UTC), in bytes.
       */
      buildLogBytesPerDay: number | null;
      /**
       * Open streams of one log per key.
       */
      logReadersPerKey: number | null;
    };
    /**
     * Hours for which deleted things can be restored; 0: not at all.
     */
    keepDeletedHours: number;
    /**
     * When hosts get the release that this control plane offers, one after the other; null: only by hand.
     */
    hostUpgrades: {
      /**
       * Begin, as a time of the day.
       */
      from: string;
      /**
       * End; before `from`: on the next day.
       */
      to: string;
      /**
       * IANA time zone.
       */
      timeZone: string;
      /**
       * The days on which it begins; all, if absent.
       *
       * @minItems 1
       * @maxItems 7
       */
      days: [
        'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun',
        ...('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[],
      ];
    } | null;
    /**
     * Nightly dumps of the database that stay in the bucket; 0: none are made.
     */
    keepDumps: number;
    /**
     * Web origins that may call the API from a browser.
     *
     * @maxItems 20
     */
    corsOrigins: string[];
  };
  /**
   * Secret that signs events. It is shown once.
   */
  eventWebhookSecret?: string;
}
export interface GetSystemEncryptionReply {
  /**
   * State of the encryption key.
   */
  encryption: {
    /**
     * Name of the current key, derived from its hash.
     */
    key: string;
    /**
     * The key before the present one, while values under it remain.
     */
    previousKey: string | null;
    /**
     * Values that are still under an older key.
     */
    rowsToReseal: number;
    /**
     * Values whose key is missing.
     */
    rowsWithoutKey: number;
  };
}
export interface GetSystemCostsReply {
  /**
   * What Cloudflare bills, as far as it is known.
   */
  costs: {
    /**
     * Estimate for a month: the plan and the items.
     */
    dollarsPerMonth: number;
    /**
     * Of it, the paid plan. The free plan costs nothing, and ends at its limits.
     */
    planDollars: number;
    /**
     * Requests are those of so many days until now; the rest is what is stored now.
     */
    days: number;
    /**
     * What is counted.
     */
    items: {
      /**
       * What is used.
       */
      name:
        | 'objectRequests'
        | 'logBytes'
        | 'databaseBytes'
        | 'backupBytes'
        | 'workerRequests'
        | 'workerCpuMs'
        | 'objectSeconds'
        | 'rowsRead'
        | 'rowsWritten'
        | 'objectRowsRead'
        | 'objectRowsWritten';
      /**
       * Who counted: this instance, or Cloudflare for the whole account, other Workers included.
       */
      source: 'longshore' | 'cloudflare';
      /**
       * Requests, bytes, rows, milliseconds of processor time or, of `objectSeconds`, GB-seconds. Requests to objects are those for logs, counted by samples.
       */
      used: number;
      /**
       * What a month of the paid plan includes.
       */
      included: number;
      /**
       * What is above it costs, a month.
       */
      dollars: number;
    }[];
    /**
     * What Cloudflare measures, by its Analytics API.
     */
    analytics: {
      /**
       * The Worker has the secrets to ask Cloudflare with.
       */
      isSet: boolean;
      /**
       * Why something of it is missing. Null: nothing is.
       */
      problem: string | null;
    };
    /**
     * What is billed too, and not counted here.
     */
    notCounted: (
      | 'workerRequests'
      | 'workerCpuMs'
      | 'objectSeconds'
      | 'rowsRead'
      | 'rowsWritten'
      | 'objectRowsRead'
      | 'objectRowsWritten'
      | 'logArchive'
    )[];
    /**
     * Where the prices are from.
     */
    prices: {
      /**
       * The price page.
       */
      url: string;
      /**
       * The day on which the prices were read.
       */
      readOn: string;
    };
  };
}
export interface GetSystemEventsReply {
  /**
   * Events, newest first.
   */
  events: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * Type of the event.
     */
    type:
      | 'backup.failed'
      | 'backup.missed'
      | 'backup.recovered'
      | 'restore.failed'
      | 'import.failed'
      | 'drill.failed'
      | 'upgrade.failed'
      | 'run.failed'
      | 'run.recovered'
      | 'run.missed'
      | 'service.stopped'
      | 'service.crashed'
      | 'service.slept'
      | 'service.woke'
      | 'deployment.failed'
      | 'deployment.recovered'
      | 'deployment.withheld'
      | 'deployment.first_success'
      | 'host.away'
      | 'host.returned'
      | 'host.upgrade_failed'
      | 'host.trouble'
      | 'host.copied'
      | 'host.works'
      | 'alert.raised'
      | 'alert.resolved'
      | 'service.deleted'
      | 'service.restored'
      | 'service.purged'
      | 'project.deleted'
      | 'project.restored'
      | 'project.purged'
      | 'backup.deleted'
      | 'backup.restored'
      | 'backup.purged'
      | 'volume.deleted'
      | 'volume.restored'
      | 'volume.purged';
    /**
     * When it was created.
     */
    createdAt: string;
    /**
     * The tenant.
     */
    tenantId: string;
    /**
     * The project that it belongs to.
     */
    projectId: string | null;
    /**
     * The service that it belongs to.
     */
    serviceId: string | null;
    /**
     * What it was done to.
     */
    resourceId: string;
    /**
     * What started it.
     */
    trigger: string | null;
    /**
     * Who started the job, or deleted or restored the resource; null for other events.
     */
    startedBy: {
      /**
       * `push`: a git host reported a push; `schedule`: a schedule of commands or backups; `platform`: the platform itself.
       */
      type: 'member' | 'key' | 'operator' | 'push' | 'schedule' | 'platform';
      /**
       * Id of the member, the key, the operator's session or the schedule; null: there is none.
       */
      id: string | null;
      /**
       * Name at that time of the member, the key, the schedule or the author of the push; null: not known.
       */
      name: string | null;
    } | null;
    /**
     * One sentence.
     */
    summary: string;
    /**
     * What is wrong and what to do, as a sentence.
     */
    error: string | null;
    /**
     * How far its delivery is.
     */
    delivery: 'none' | 'pending' | 'delivered' | 'undelivered';
    /**
     * How often it was sent.
     */
    attempts: number;
    /**
     * When it is sent again; null: never.
     */
    nextAttemptAt: string | null;
    /**
     * Why the last attempt failed.
     */
    lastFailure: string | null;
    /**
     * When the receiver accepted it; null: not yet.
     */
    deliveredAt: string | null;
  }[];
  /**
   * `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string;
}
export interface PostSystemSettingsEventWebhookTestReply {
  result: {
    /**
     * Whether it succeeded.
     */
    ok: boolean;
    /**
     * HTTP status of the answer; null: there was none.
     */
    status: number | null;
    /**
     * What happened or what it waits for, as a sentence.
     */
    detail: string;
    /**
     * How long it took, in milliseconds.
     */
    durationMs: number;
  };
}
export interface GetSystemAlertsReply {
  /**
   * The alerts, newest first.
   */
  alerts: {
    /**
     * Identifier: a prefix of its kind and 16 characters. It never changes.
     */
    id: string;
    /**
     * What is watched; `own`: a rule that somebody made.
     */
    rule:
      | 'memory'
      | 'restarts'
      | 'outOfMemory'
      | 'hostDisk'
      | 'hostMemory'
      | 'certificate'
      | 'queue'
      | 'backupAge'
      | 'quotaNear'
      | 'quotaRefused'
      | 'hostAway'
      | 'own';
    /**
     * The rule that somebody made; null: a default one.
     */
    ruleId: string | null;
    /**
     * The service that it is about; null: a host or a tenant.
     */
    serviceId: string | null;
    /**
     * The project of that service; null: it is about a host or a tenant.
     */
    projectId: string | null;
    /**
     * The quota of the tenant that it is about; null: none.
     */
    quota: string | null;
    /**
     * The host that sees it, or that is not connected; null: neither.
     */
    runnerId: string | null;
    /**
     * Name of the service, host or tenant.
     */
    name: string;
    /**
     * What was seen, with its numbers.
     */
    detail: string;
    /**
     * Its begin.
     */
    raisedAt: string;
    /**
     * Its end; null: it is open.
     */
    resolvedAt: string | null;
    /**
     * Whether the condition comes and goes: it is open until the condition has been absent for an hour.
     */
    flapping: boolean;
    /**
     * When somebody took it on; null: nobody has.
     */
    acknowledgedAt: string | null;
    /**
     * The key that did, or `operator`.
     */
    acknowledgedBy: string | null;
    /**
     * Until then neither its end nor a new begin is sent; null: it is not silenced.
     */
    silencedUntil: string | null;
    /**
     * The key that silenced it, or `operator`.
     */
    silencedBy: string | null;
  }[];
  /**
   * `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string;
}
export interface PostSystemAlertRulesBody {
  /**
   * Name, for people. It is part of the messages.
   */
  name: string;
  /**
   * Whether values above or below the threshold are alarming.
   */
  comparison?: 'above' | 'below';
  /**
   * In the unit of the metric; of a count, more than so many within the time.
   */
  threshold: number;
  /**
   * For how long without a break, in seconds; of a count, the time within which it is counted.
   */
  forSeconds?: number;
  /**
   * Whether it is watched.
   */
  enabled?: boolean;
  /**
   * What is watched, of each host by itself.
   */
  metric:
    | 'cpu'
    | 'memory'
    | 'networkIn'
    | 'networkOut'
    | 'diskRead'
    | 'diskWrite'
    | 'diskUsed'
    | 'requests'
    | 'errors'
    | 'latencyP50'
    | 'latencyP99'
    | 'restarts'
    | 'outOfMemory'
    | 'cpuPercent'
    | 'memoryPercent'
    | 'errorPercent'
    | 'diskPercent';
  /**
   * Only this host; absent: each host.
   */
  runnerId?: string;
}
export interface PatchSystemAlertRuleBody {
  /**
   * Name, for people. It is part of the messages.
   */
  name?: string;
  /**
   * Whether values above or below the threshold are alarming.
   */
  comparison?: 'above' | 'below';
  /**
   * In the unit of the metric; of a count, more than so many within the time.
   */
  threshold?: number;
  /**
   * For how long without a break, in seconds; of a count, the time within which it is counted.
   */
  forSeconds?: number;
  /**
   * Whether it is watched.
   */
  enabled?: boolean;
  /**
   * What is watched, of each host by itself.
   */
  metric?:
    | 'cpu'
    | 'memory'
    | 'networkIn'
    | 'networkOut'
    | 'diskRead'
    | 'diskWrite'
    | 'diskUsed'
    | 'requests'
    | 'errors'
    | 'latencyP50'
    | 'latencyP99'
    | 'restarts'
    | 'outOfMemory'
    | 'cpuPercent'
    | 'memoryPercent'
    | 'errorPercent'
    | 'diskPercent';
}
export interface GetSystemDnsProvidersReply {
  providers: {
    /**
     * The provider.
     */
    id: 'cloudflare' | 'namecheap' | 'spaceship';
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * Whether it is connected.
     */
    connected: boolean;
    /**
     * The credentials that it requires or accepts.
     */
    credentials: {
      /**
       * Name, for people. It can be changed.
       */
      name: string;
      /**
       * Whether the credential must be given.
       */
      required: boolean;
      /**
       * Whether it is a secret.
       */
      secret: boolean;
      /**
       * What it is, and where you get it.
       */
      description: string;
    }[];
    /**
     * When it was created.
     */
    createdAt: string | null;
    /**
     * When it last changed.
     */
    updatedAt: string | null;
  }[];
}
export interface PostSystemDnsProvidersReply {
  provider: {
    /**
     * The provider.
     */
    id: 'cloudflare' | 'namecheap' | 'spaceship';
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * Whether it is connected.
     */
    connected: boolean;
    /**
     * The credentials that it requires or accepts.
     */
    credentials: {
      /**
       * Name, for people. It can be changed.
       */
      name: string;
      /**
       * Whether the credential must be given.
       */
      required: boolean;
      /**
       * Whether it is a secret.
       */
      secret: boolean;
      /**
       * What it is, and where you get it.
       */
      description: string;
    }[];
    /**
     * When it was created.
     */
    createdAt: string | null;
    /**
     * When it last changed.
     */
    updatedAt: string | null;
  };
}
export interface PatchSystemDnsProviderBody {
  /**
   * Credentials, by the names that the provider needs. Stored encrypted, never returned.
   */
  credentials: {
    [k: string]: string | null;
  };
  /**
   * false: store the credentials without checking them with the provider.
   */
  verify?: boolean;
}
export interface DeleteSystemDnsProviderReply {
  /**
   * The change was made.
   */
  ok: true;
}
export interface GetSystemDumpsReply {
  /**
   * Dumps of the control plane's database, newest first.
   */
  dumps: {
    /**
     * Id of the dump.
     */
    id: string;
    /**
     * State, one of a closed set.
     */
    state: 'running' | 'complete' | 'failed';
    /**
     * How many parts there are.
     */
    parts: number;
    /**
     * Number of rows.
     */
    rows: number;
    /**
     * Size in bytes.
     */
    bytes: number;
    /**
     * When it started; null until then.
     */
    startedAt: string;
    /**
     * When it ended; null until then.
     */
    finishedAt: string | null;
  }[];
  /**
   * `cursor` of the next page; absent on the last one.
   */
  nextCursor?: string;
}
export interface PostSystemDumpsReply {
  dump: {
    /**
     * Id of the dump.
     */
    id: string;
    /**
     * State, one of a closed set.
     */
    state: 'running' | 'complete' | 'failed';
    /**
     * How many parts there are.
     */
    parts: number;
    /**
     * Number of rows.
     */
    rows: number;
    /**
     * Size in bytes.
     */
    bytes: number;
    /**
     * When it started; null until then.
     */
    startedAt: string;
    /**
     * When it ended; null until then.
     */
    finishedAt: string | null;
  };
}
export interface PostSystemRestoredReply {
  /**
   * What was changed after the database went back.
   */
  restored: {
    /**
     * Services whose revisions were lifted.
     */
    services: number;
    /**
     * Kept deletions whose purge was put off by a week.
     */
    deletions: number;
    /**
     * Removals on hosts that were cancelled; what is left over is listed as a stray.
     */
    removals: number;
    /**
     * Jobs that were ended.
     */
    jobs: number;
    /**
     * Whether jobs remain: send the request again.
     */
    moreJobs: boolean;
  };
}
export interface GetSystemStraysHostsReply {
  hosts: {
    /**
     * The host, which POST /api/system/runners enrolled.
     */
    runnerId: string;
    /**
     * Name, for people. It can be changed.
     */
    name: string;
    /**
     * Why the host could not be compared; null: it was.
     */
    trouble: string | null;
    /**
     * What is on the host and has no row.
     */
    strays: {
      /**
       * Services that no row has on this host.
       */
      services: {
        /**
         * The service that it belongs to.
         */
        serviceId: string;
        /**
         * The project that it belongs to.
         */
        projectId: string | null;
        /**
         * `forgotten`: no row names it; `elsewhere`: its row has another host; `deleted`: it can be restored, and still runs.
         */
        reason: 'forgotten' | 'elsewhere' | 'deleted';
        /**
         * The deployment that it belongs to.
         */
        deploymentId: string | null;
        /**
         * Whether it runs.
         */
        isRunning: boolean;
        /**
         * Port on the host: on 127.0.0.1, and of a public database on all addresses.
         */
        hostPort: number;
        /**
         * Host names that lead to it.
         */
        hostnames: string[];
        /**
         * Names of its data volumes.
         */
        volumes: string[];
        /**
         * Number of backup files on the host.
         */
        backups: number;
      }[];
      /**
       * Services of which the host runs another version than the rows say.
       */
      otherVersions: {
        /**
         * The service that it belongs to.
         */
        serviceId: string;
        /**
         * The deployment that it belongs to.
         */
        deploymentId: string;
        /**
         * The deployment that the rows call live.
         */
        recordedDeploymentId: string | null;
      }[];
      /**
       * What the host lacks, although a row has it.
       */
      missing: {
        /**
         * The service that it belongs to.
         */
        serviceId: string;
        /**
         * What is missing on the host.
         */
        what: 'container' | 'volume';
      }[];
      /**
       * Files of backups that no row names.
       */
      backupsWithoutRow: {
        /**
         * The service that it belongs to.
         */
        serviceId: string;
        /**
         * The backup.
         */
        backupId: string;
      }[];
      /**
       * Backups whose file is missing.
       */
      backupsWithoutFile: {
        /**
         * The service that it belongs to.
         */
        serviceId: string;
        /**
         * The backup.
         */
        backupId: string;
      }[];
    } | null;
  }[];
  /**
   * Where the next page begins; null on the last one.
   */
  next: string | null;
}
export interface GetSystemStraysBucketReply {
  bucket: {
    /**
     * Keys of objects in the bucket that no row names.
     */
    withoutRow: string[];
    /**
     * Backups whose object is missing in the bucket.
     */
    withoutObject: {
      /**
       * The service that it belongs to.
       */
      serviceId: string;
      /**
       * The backup.
       */
      backupId: string;
    }[];
    /**
     * Where the next page begins; null on the last one.
     */
    next: string | null;
  };
}
export interface PostSystemStraysRemoveBody {
  /**
   * The host, which POST /api/system/runners enrolled.
   */
  runnerId: string;
  /**
   * The service that it belongs to.
   */
  serviceId: string;
  /**
   * Whether its data volumes and backups are removed too.
   */
  data?: boolean;
}
export interface PostSystemStraysRemoveReply {
  /**
   * The removal was queued.
   */
  queued: true;
}
