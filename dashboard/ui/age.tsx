/** The age of something, kept up to date, with the exact time as its title. */
import { createSignal } from 'solid-js';
import { t } from '../text/text.ts';

const tickMs = 10_000;
const [now, setNow] = createSignal(Date.now());
setInterval(() => document.visibilityState === 'visible' && setNow(Date.now()), tickMs);
document.addEventListener('visibilitychange', () => setNow(Date.now()));

export { now };

export function Age(props: { at: string | number }) {
  const moment = () => new Date(props.at);
  return (
    <time datetime={moment().toISOString()} title={exactTime(props.at)}>
      {ageText(Math.max(0, Math.max(now(), Date.now()) - moment().getTime()))}
    </time>
  );
}

/** A smaller value would be rounded to nothing. */
const shortest = 50;
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** @param ms the age */
export function ageText(ms: number): string {
  if (ms < 10 * second) return t.now;
  return t.ago(spanText(ms));
}

/** `42 s`, `3 min`, `5 h`, `12 d`. */
export function spanText(ms: number): string {
  if (ms < minute) return `${Math.floor(ms / second)} s`;
  if (ms < hour) return `${Math.floor(ms / minute)} min`;
  if (ms < 2 * day) return `${Math.floor(ms / hour)} h`;
  return `${Math.floor(ms / day)} d`;
}

/** `<0.1 s`, `0.8 s`, `12.3 s`, `2 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < shortest) return '<0.1 s';
  if (ms < minute) return `${(ms / second).toFixed(1)} s`;
  const whole = Math.round(ms / second);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

const exactFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
/** `27 Nov 2026, 14:03:59`: English like all texts, and in the same time zone as logs and charts. */
export const exactTime = (at: string | number): string => exactFormat.format(new Date(at));

const clockFormat = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
/** `14:03:59`, in the time zone of this device. */
export const clockTime = (at: string | number): string => clockFormat.format(new Date(at));

const dateFormat = new Intl.DateTimeFormat('en-GB', { month: 'short', day: 'numeric' });
export const dateText = (at: string | number): string => dateFormat.format(new Date(at));
