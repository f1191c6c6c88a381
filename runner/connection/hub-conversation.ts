/**
 * The runner's side of the conversation with its RunnerHub: routes each frame to its part, and sends lost frames again after a reconnect.
 */
import { type HubFrame, type HubFrameOf, protocolVersion, type RunnerFrame } from '../../protocol/frames.ts';
import { placesOfHost } from '../../protocol/job-places.ts';
import { deploySecretsSchema } from '../../protocol/job-spec.ts';
import type { RunnerFacts } from '../../protocol/runner-facts.ts';
import { type Clock, pause } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { RunnerError } from '../base/runner-error.ts';
import { hostFacts } from '../host/host-facts.ts';
import type { HostWork } from '../host/host-work.ts';
import type { Journal } from '../journal/journal.ts';
import { JobScheduler } from '../scheduling/job-scheduler.ts';
import { LeaseKeeper } from '../scheduling/lease-keeper.ts';
import { SwitchPermission } from '../scheduling/switch-permission.ts';
import { TaskRunner } from '../scheduling/task-runner.ts';
import type { RunnerConfig } from '../setup/config.ts';
import type { Identity } from '../setup/identity.ts';
import { AlertSender } from './alert-sender.ts';
import { answerRequest } from './answer-request.ts';
import { ControlSocket } from './control-socket.ts';
import { DomainSender } from './domain-sender.ts';
import { FactsSender } from './facts-sender.ts';
import { LogTraffic } from './log-traffic.ts';
import { ObservationSender } from './observation-sender.ts';
import { ReportSender } from './report-sender.ts';
import { openSealedBox } from './sealed-box.ts';

export interface ConversationParts {
  config: RunnerConfig;
  identity: Identity;
  bootId: string;
  journal: Journal;
  host: HostWork;
  clock: Clock;
  logger: Logger;
  stopped: (error: RunnerError) => void;
  /** The control plane has accepted the runner; called again after each reconnect. */
  connected: () => void;
}

export class Conversation {
  readonly #parts: ConversationParts;
  readonly #socket: ControlSocket;
  readonly #permission: SwitchPermission;
  readonly #logs: LogTraffic;
  readonly #reports: ReportSender;
  readonly #scheduler: JobScheduler;
  readonly #leases: LeaseKeeper;
  readonly #tasks: TaskRunner;
  readonly #observations: ObservationSender;
  readonly #domains: DomainSender;
  readonly #facts: FactsSender;
  readonly #alerts: AlertSender;

  constructor(parts: ConversationParts) {
    const { config, journal, host, clock, logger } = parts;
    const send = (frame: RunnerFrame) => this.#socket.send(frame);
    this.#parts = parts;
    this.#facts = new FactsSender({ measure: (limitMs) => this.#measureFacts(limitMs), send, clock, logger });
    this.#alerts = new AlertSender(send);
    this.#socket = this.#createSocket();
    host.onAlerts((firing) => this.#alerts.changed(firing));
    this.#permission = new SwitchPermission(clock, send);
    this.#logs = new LogTraffic({
      url: config.url,
      containerLogs: host.containerLogs,
      spool: journal.logs,
      clock,
      send,
      epochOf: (job) => journal.jobs.find(job)?.epoch,
      watched: (job) => this.#scheduler.flushLog(job),
    });
    this.#reports = new ReportSender({
      records: journal.reports,
      clock,
      send,
      logAcknowledged: (job, limitMs) => this.#logs.jobs.acknowledged(job, limitMs),
      settled: (job) => this.#settled(job),
    });
    this.#scheduler = this.#createScheduler();
    this.#leases = new LeaseKeeper(clock, send, () => this.#scheduler.held());
    this.#tasks = new TaskRunner({
      records: journal.tasks,
      clock,
      logger,
      send,
      run: (task) => host.runTask(task),
      stopService: (serviceId) => this.#scheduler.stopService(serviceId),
    });
    this.#domains = new DomainSender({ source: host.domains, clock, send });
    this.#observations = new ObservationSender({ observe: () => host.observe(), send, clock, logger });
  }

  /** Picks up the jobs of the previous process, so that the hello lists them, and connects. */
  start(): void {
    this.#scheduler.recover();
    this.#socket.start();
  }

  /** Jobs run from `openJobs` to `finishJobs`, which resolves when the last one has ended. */
  readonly openJobs = () => this.#scheduler.open();
  readonly finishJobs = () => this.#scheduler.finish();

  /** The services that run on the host may have changed. */
  hostChanged(): void {
    this.#observations.changed();
    this.#logs.containers.changed();
    this.#facts.changed(this.#parts.host.state().trouble);
  }

  /** Takes no new jobs; resolves when the running ones have ended. */
  async closeJobs(): Promise<void> {
    this.#tasks.stop();
    this.#observations.stop();
    this.#domains.stop();
    this.#facts.stop();
    this.#logs.containers.stop();
    await this.#scheduler.close();
  }

  end(): void {
    this.#leases.stop();
    this.#reports.stop();
    this.#logs.stop();
    void this.#socket.close();
  }

  #createSocket(): ControlSocket {
    const { config, identity, clock, logger, stopped } = this.#parts;
    return new ControlSocket(
      {
        url: config.url,
        runnerId: config.runnerId,
        bootId: this.#parts.bootId,
        sign: identity.sign,
        facts: () => this.#facts.hello(),
        jobs: () => this.#scheduler.held(),
        clock,
        logger,
      },
      {
        connected: (welcome) => this.#connected(welcome),
        disconnected: () => this.#permission.disconnected(),
        frame: (frame) => this.#take(frame),
        stopped,
      },
    );
  }

  #createScheduler(): JobScheduler {
    const { config, identity, journal, host, clock, logger } = this.#parts;
    const { runnerId } = config;
    return new JobScheduler({
      journal,
      clock,
      logger,
      jobs: host.jobs,
      permission: this.#permission,
      places: { ...placesOfHost, build: config.concurrentBuilds },
      openSecrets: ({ job, epoch }, sealed) =>
        deploySecretsSchema.parse(
          JSON.parse(openSealedBox(identity.openingKey, { runnerId, job, epoch }, sealed)),
        ),
      flushDelayMs: (job) => this.#logs.jobs.flushDelayMs(job),
      spooled: (job) => this.#logs.jobs.pump(job),
      logEnds: (job) => this.#logs.jobs.ends(job),
      report: (report) => this.#reports.add(report),
      dropOlderReports: (job, epoch) => this.#reports.dropOlder(job, epoch),
      heldChanged: () => this.#leases.renew(),
    });
  }

  /** Sends again everything that a broken connection may have lost; log lines before the results that wait for them. */
  #connected({ upgradeNeeded, alertRules, logDrains }: HubFrameOf<'welcome'>): void {
    this.#parts.connected();
    if (upgradeNeeded !== null) this.#parts.logger.warn(upgradeNeeded);
    this.#leases.renew();
    this.#logs.reconnected();
    this.#reports.reconnected();
    this.#permission.reconnected();
    this.#observations.connected();
    this.#domains.connected();
    this.#facts.connected();
    if (alertRules !== null) this.#parts.host.setAlertRules(alertRules);
    if (logDrains !== null) void this.#parts.host.setDrains(logDrains);
    this.#alerts.connected();
  }

  /** The socket handles challenge and welcome. */
  #take(frame: HubFrame): void {
    switch (frame.type) {
      case 'start':
        this.#scheduler.start(frame).catch((error: unknown) => this.#notTaken(error));
        break;
      case 'abort':
        this.#scheduler.abort(frame);
        break;
      case 'switch-answer':
        this.#permission.answered(frame, frame.granted);
        break;
      case 'log-ack':
      case 'watch':
      case 'tail':
      case 'tail-ack':
        this.#logs.take(frame);
        break;
      case 'report-ack':
        this.#reports.acknowledged(frame.id);
        break;
      case 'task':
        this.#tasks.take(frame);
        break;
      case 'alert-rules':
        this.#parts.host.setAlertRules(frame.rules);
        break;
      case 'log-drains':
        void this.#parts.host.setDrains(frame.sealed);
        break;
      case 'request':
        void answerRequest(this.#parts, frame).then((outcome) =>
          this.#socket.send({ v: protocolVersion, type: 'response', id: frame.id, outcome }),
        );
        break;
    }
  }

  /** A job that could not be written to the journal was not accepted: the hub sends it again. */
  #notTaken(error: unknown): void {
    this.#parts.logger.error('a job could not be taken', error);
  }

  /** The hub has stored a result. The result may have changed the hub's view of the service, so observations are sent again. */
  #settled(job: string): void {
    this.#logs.forget(job);
    this.#observations.connected();
    this.#leases.renew();
  }

  async #measureFacts(dockerLimitMs: number): Promise<RunnerFacts> {
    const { config, host, clock } = this.#parts;
    const limit = new AbortController();
    const late = pause(clock, dockerLimitMs, limit.signal).then(() => null);
    const docker = await Promise.race([host.dockerFacts(), late]);
    limit.abort();
    return hostFacts(config, docker, host.state());
  }
}
