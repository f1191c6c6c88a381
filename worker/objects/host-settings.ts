/** Sends a host the settings that it applies itself: the alert rules that users created, and the log drains of its projects. */
import { type HubFrame, protocolVersion } from '../../protocol/frames.ts';
import type { HostSetting } from '../gateways/object-calls.ts';
import { rulesOfHost } from '../store/alerts/alert-rule-store.ts';
import type { Dependencies } from '../usecases/dependencies.ts';
import { sealedDrainsOf } from '../usecases/logs/drains-of-host.ts';
import type { RunnerSockets } from './runner-sockets.ts';
import { SerialQueues } from './serial-queues.ts';

/** Each function reads the current settings. */
const frameOf: Record<HostSetting, (deps: Dependencies, runnerId: string) => Promise<HubFrame>> = {
  'alert-rules': async ({ db }, runnerId) => ({
    v: protocolVersion,
    type: 'alert-rules',
    rules: await rulesOfHost(db, runnerId),
  }),
  'log-drains': async (deps, runnerId) => ({
    v: protocolVersion,
    type: 'log-drains',
    sealed: await sealedDrainsOf(deps, runnerId),
  }),
};

export class HostSettings {
  readonly #deps: () => Dependencies;
  readonly #sockets: RunnerSockets;
  readonly #queues = new SerialQueues();

  constructor({ deps, sockets }: { deps(): Dependencies; sockets: RunnerSockets }) {
    this.#deps = deps;
    this.#sockets = sockets;
  }

  /** Sends settings if the host is connected; it gets all when it connects. One at a time, so that the newest are sent last. Never throws. */
  async send(...settings: HostSetting[]): Promise<void> {
    await Promise.all(settings.map((setting) => this.#queues.run(setting, () => this.#sendOne(setting))));
  }

  async #sendOne(setting: HostSetting): Promise<void> {
    try {
      const { current } = this.#sockets;
      const runnerId = current && this.#sockets.state(current)?.runnerId;
      if (runnerId) this.#sockets.send(await frameOf[setting](this.#deps(), runnerId));
    } catch (error) {
      console.error(`The ${setting} of a host could not be read; it gets them when it connects:`, error);
    }
  }
}
