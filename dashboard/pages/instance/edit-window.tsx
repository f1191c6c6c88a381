/** Sets the upgrade window, or switches it off. */
import { createSignal, For } from 'solid-js';
import type { ReplyOf } from '../../../client/client.ts';
import { operatorApi } from '../../api/operator.ts';
import { hostsText } from '../../text/operator-text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ownZone } from '../../ui/time-zones.ts';
import { attempt, say } from '../../ui/toasts.tsx';
import { renew } from './instance-queries.ts';

type Wanted = ReplyOf<'GET /api/system/settings'>['settings']['hostUpgrades'];
type Day = keyof typeof hostsText.days;

const allDays = Object.keys(hostsText.days) as Day[];

export function EditWindow(props: { window: Wanted; onClose(): void }) {
  const [from, setFrom] = createSignal(props.window?.from ?? '02:00');
  const [to, setTo] = createSignal(props.window?.to ?? '05:00');
  const [zone, setZone] = createSignal(props.window?.timeZone ?? ownZone);
  const [days, setDays] = createSignal<readonly Day[]>(props.window?.days ?? allDays);
  const [busy, setBusy] = createSignal(false);
  const save = async (hostUpgrades: Wanted) => {
    setBusy(true);
    const done = await attempt(async () => {
      await operatorApi.call('PATCH /api/system/settings', { body: { hostUpgrades } });
      await renew('settings');
      say(hostsText.saved);
    });
    setBusy(false);
    if (done) props.onClose();
  };
  const toggle = (day: Day, on: boolean) =>
    setDays((chosen) => allDays.filter((one) => (one === day ? on : chosen.includes(one))));
  const wanted = () => {
    const [first = 'mon', ...others] = days().length > 0 ? days() : allDays;
    const chosen: [Day, ...Day[]] = [first, ...others];
    return { from: from(), to: to(), timeZone: zone().trim(), days: chosen };
  };
  return (
    <Dialog title={hostsText.windowTitle} onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy()) void save(wanted());
        }}
      >
        <p>{hostsText.windowHelp}</p>
        <Field label={hostsText.from} type="time" value={from()} onInput={setFrom} />
        <Field label={hostsText.to} type="time" value={to()} onInput={setTo} />
        <Field label={hostsText.timeZone} type="text" value={zone()} onInput={setZone} />
        <fieldset class="checks short">
          <legend>{hostsText.onDays}</legend>
          <For each={allDays}>
            {(day) => (
              <label>
                <input
                  type="checkbox"
                  checked={days().includes(day)}
                  onChange={(event) => toggle(day, event.currentTarget.checked)}
                />
                <span>{hostsText.days[day]}</span>
              </label>
            )}
          </For>
        </fieldset>
        <footer class="actions end">
          <Button onClick={() => void save(null)}>{hostsText.switchOff}</Button>
          <Button kind="primary" type="submit" busy={busy()}>
            {hostsText.save}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

function Field(props: { label: string; type: 'time' | 'text'; value: string; onInput(value: string): void }) {
  return (
    <label>
      <span>{props.label}</span>
      <input
        type={props.type}
        required
        autocomplete="off"
        value={props.value}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
    </label>
  );
}
