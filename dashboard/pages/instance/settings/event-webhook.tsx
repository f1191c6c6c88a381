/** The webhook for all events: its address, a test, and its secret, which is shown once. */
import { createSignal } from 'solid-js';
import { operatorApi } from '../../../api/operator.ts';
import { serviceSettingsText } from '../../../text/service-settings-text.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { createSaving } from '../../../ui/saving.ts';
import { Show } from '../../../ui/show.ts';
import { ShownOnce } from '../../../ui/shown-once.tsx';
import { createTest, TestResult } from '../../../ui/test-result.tsx';
import { say } from '../../../ui/toasts.tsx';
import { renew } from '../instance-queries.ts';
import { instanceSettingsText } from './instance-text.ts';

/** @param props.url empty: no webhook is set */
export function EventWebhook(props: { url: string }) {
  const [typed, setTyped] = createSignal<string>();
  const [secret, setSecret] = createSignal<string>();
  const { result, isTesting, test, forget } = createTest(
    async () => (await operatorApi.call('POST /api/system/settings/event-webhook/test', {})).result,
  );
  const { isBusy, failureAt, save } = createSaving((field) => /^eventWebhook\b/.test(field));
  const url = () => typed() ?? props.url;
  const submit = async () => {
    const wanted = url().trim();
    const isSaved = await save(async () => {
      const eventWebhook = wanted === '' ? null : { url: wanted };
      const reply = await operatorApi.call('PATCH /api/system/settings', { body: { eventWebhook } });
      setSecret(reply.eventWebhookSecret);
      forget();
      await renew('settings');
      say(instanceSettingsText.saved);
    });
    if (isSaved) setTyped(undefined);
  };
  return (
    <section class="panel">
      <h2>{instanceSettingsText.webhook}</h2>
      <p class="quiet-text">{instanceSettingsText.webhookHelp}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <TextField
          label={instanceSettingsText.webhookUrl}
          help={instanceSettingsText.webhookUrlHelp}
          mono
          failure={failureAt('eventWebhook.url') ?? failureAt('eventWebhook')}
          value={url()}
          onInput={setTyped}
        />
        <TestResult result={result()} />
        <footer class="actions end">
          <Show when={props.url !== ''}>
            <Button busy={isTesting()} onClick={() => void test()}>
              {instanceSettingsText.webhookTest}
            </Button>
          </Show>
          <Button kind="primary" type="submit" busy={isBusy()} disabled={url() === props.url}>
            {serviceSettingsText.save}
          </Button>
        </footer>
      </form>
      <Show when={secret()}>
        {(made) => (
          <ShownOnce
            title={instanceSettingsText.webhookSecretTitle}
            help={instanceSettingsText.webhookSecretHelp}
            what={instanceSettingsText.webhookSecret}
            secret={made()}
            onClose={() => setSecret(undefined)}
          />
        )}
      </Show>
    </section>
  );
}
