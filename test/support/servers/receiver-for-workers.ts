/** A receiver of webhooks for the tests in workerd, which can't listen themselves: `inject('webhookReceiver')` is its URL. */
import { startWebhookReceiver } from './webhook-receiver.ts';

export async function setup(project: {
  provide(key: 'webhookReceiver', url: string): void;
}): Promise<() => Promise<void>> {
  const receiver = await startWebhookReceiver();
  project.provide('webhookReceiver', receiver.url);
  return receiver.close;
}
