/** The traffic rules of a service, edited together and applied at once. */

import { createEffect, createMemo, on } from 'solid-js';
import { createStore, reconcile, unwrap } from 'solid-js/store';
import type { ReplyOf } from '../../../../client/client.ts';
import { api } from '../../../api/client.ts';
import { queries } from '../../../api/query-client.ts';
import { useQuery } from '../../../api/use-query.ts';
import { serviceSettingsText } from '../../../text/service-settings-text.ts';
import { Answer } from '../../../ui/answer.tsx';
import { Button } from '../../../ui/button.tsx';
import { createSaving } from '../../../ui/saving.ts';
import { Show } from '../../../ui/show.ts';
import { say } from '../../../ui/toasts.tsx';
import { Headers } from './headers.tsx';
import { AccessLog, Limits, Maintenance } from './maintenance.tsx';
import { Passwords } from './passwords.tsx';
import { Redirects } from './redirects.tsx';
import { draftOf, rulesOf } from './traffic-draft.ts';
import { trafficText } from './traffic-text.ts';

type Reply = ReplyOf<'GET /api/services/:serviceId/traffic-rules'>;

export function TrafficRules(props: { serviceId: string; mayWrite: boolean }) {
  const rules = useQuery(() => ({
    queryKey: ['traffic', props.serviceId],
    queryFn: ({ signal }) =>
      api.call('GET /api/services/:serviceId/traffic-rules', {
        params: { serviceId: props.serviceId },
        signal,
      }),
  }));
  return (
    <section class="panel">
      <header>
        <h2>{trafficText.title}</h2>
        <small class="quiet-text">{serviceSettingsText.applies.nothing}</small>
      </header>
      <Answer query={rules} lines={3}>
        {(data) => <Editor serviceId={props.serviceId} stored={data().rules} mayWrite={props.mayWrite} />}
      </Answer>
    </section>
  );
}

function Editor(props: { serviceId: string; stored: Reply['rules']; mayWrite: boolean }) {
  const [draft, setDraft] = createStore(draftOf(props.stored));
  // Every field in a refusal exists in the draft, because the draft was sent.
  const { isBusy, failureAt, save } = createSaving((name) => /^[a-zA-Z]+(\[|\.|$)/.test(name));
  const bodyOf = (rules: Reply['rules']) => JSON.stringify(rulesOf(draftOf(rules)));
  const isChanged = createMemo(() => JSON.stringify(rulesOf(draft)) !== bodyOf(props.stored));
  const take = (rules: Reply['rules']) => setDraft(reconcile(draftOf(rules)));
  const takeStored = () => take(props.stored);
  // Rules that another person sets are shown, unless the user has typed something here.
  createEffect(
    on(
      () => bodyOf(props.stored),
      (_, before) => before === JSON.stringify(rulesOf(unwrap(draft))) && takeStored(),
      { defer: false },
    ),
  );
  const submit = () =>
    save(async () => {
      const params = { serviceId: props.serviceId };
      const { rules, proxy } = await api.call('PUT /api/services/:serviceId/traffic-rules', {
        params,
        body: rulesOf(unwrap(draft)),
      });
      queries.setQueryData(['traffic', props.serviceId], { rules });
      // What is stored reaches this form a moment later: until then it would show the rules of before, and a field lose the focus.
      take(rules);
      say(`${trafficText.saved} ${proxy.detail}`.trim());
    });
  const part = { draft, setDraft, failureAt };
  return (
    <form
      class="traffic"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <p class="quiet-text">{trafficText.help}</p>
      <fieldset disabled={!props.mayWrite}>
        <legend class="visually-hidden">{trafficText.title}</legend>
        <Redirects {...part} />
        <Maintenance {...part} />
        <Passwords {...part} />
        <Limits {...part} />
        <Headers {...part} name="requestHeaders" />
        <Headers {...part} name="responseHeaders" />
        <AccessLog {...part} />
      </fieldset>
      <Show when={props.mayWrite}>
        <footer class="actions end">
          <Show when={isChanged()}>
            <Button onClick={takeStored}>{serviceSettingsText.discard}</Button>
          </Show>
          <Button kind="primary" type="submit" busy={isBusy()} disabled={!isChanged()}>
            {serviceSettingsText.save}
          </Button>
        </footer>
      </Show>
    </form>
  );
}
