/** The maintenance page, the limits of requests, and the log of requests. */
import { t } from '../../text/text.ts';
import { CheckField, ChoiceField, TextField } from '../../ui/field.tsx';
import { Show } from '../../ui/show.ts';
import type { PartProps } from './part.ts';

export function Maintenance(props: PartProps) {
  return (
    <section class="rule-part">
      <CheckField
        label={t.traffic.maintenance}
        help={t.traffic.maintenanceHelp}
        checked={props.draft.hasMaintenance}
        onInput={(on) => props.setDraft('hasMaintenance', on)}
      />
      <Show when={props.draft.hasMaintenance}>
        <div class="field-grid">
          <TextField
            label={t.traffic.retryAfter}
            type="number"
            placeholder="300"
            failure={props.failureAt('maintenance.retryAfterSeconds')}
            value={props.draft.retryAfterSeconds}
            onInput={(text) => props.setDraft('retryAfterSeconds', text)}
          />
          <TextField
            label={t.traffic.allowed}
            help={t.traffic.allowedHelp}
            mono
            rows={2}
            failure={props.failureAt('maintenance.allowedAddresses')}
            value={props.draft.allowedAddresses}
            onInput={(text) => props.setDraft('allowedAddresses', text)}
          />
          <TextField
            label={t.traffic.domains}
            mono
            rows={2}
            placeholder={t.traffic.allNames}
            failure={props.failureAt('maintenance.domains')}
            value={props.draft.maintenanceDomains}
            onInput={(text) => props.setDraft('maintenanceDomains', text)}
          />
        </div>
      </Show>
    </section>
  );
}

const noLimit = { value: '', text: t.service.noLimit };
const sizes = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];
const seconds = [5, 10, 30, 60, 120, 300];
const idleSeconds = [10, 60, 600];
const choicesOf = (numbers: readonly number[], text: (n: number) => string) => [
  noLimit,
  ...numbers.map((n) => ({ value: String(n), text: text(n) })),
];

export function Limits(props: PartProps) {
  return (
    <section class="rule-part">
      <h3>{t.traffic.limits}</h3>
      <div class="field-grid">
        <ChoiceField
          label={t.traffic.maxBody}
          choices={choicesOf(sizes, t.traffic.megabytes)}
          value={props.draft.maxBodyMegabytes}
          onInput={(text) => props.setDraft('maxBodyMegabytes', text)}
        />
        <ChoiceField
          label={t.traffic.firstByte}
          choices={choicesOf(seconds, t.traffic.seconds)}
          value={props.draft.firstByteTimeoutSeconds}
          onInput={(text) => props.setDraft('firstByteTimeoutSeconds', text)}
        />
        <ChoiceField
          label={t.traffic.idle}
          help={t.traffic.idleHelp}
          choices={choicesOf(idleSeconds, t.traffic.seconds)}
          value={props.draft.idleTimeoutSeconds}
          onInput={(text) => props.setDraft('idleTimeoutSeconds', text)}
        />
      </div>
    </section>
  );
}

export function AccessLog(props: PartProps) {
  return (
    <section class="rule-part">
      <CheckField
        label={t.traffic.accessLog}
        help={t.traffic.accessLogHelp}
        checked={props.draft.hasAccessLog}
        onInput={(on) => props.setDraft('hasAccessLog', on)}
      />
      <Show when={props.draft.hasAccessLog}>
        <div class="field-grid">
          <TextField
            label={t.traffic.accessLogPercent}
            help={t.traffic.accessLogPercentHelp}
            type="number"
            required
            failure={props.failureAt('accessLog.sample')}
            value={props.draft.accessLogPercent}
            onInput={(text) => props.setDraft('accessLogPercent', text)}
          />
        </div>
      </Show>
    </section>
  );
}
