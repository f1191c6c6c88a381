/** The traffic of an hour as a small chart: requests as an area, errors as bars in front. Its numbers stand beside it as text. */
import type { Traffic } from '../api/traffic.ts';
import { trafficText } from '../text/traffic-text.ts';
import { Show } from './show.ts';

const size = { width: 120, height: 24 } as const;

const sumOf = (values: readonly (number | null)[]) =>
  values.reduce<number>((sum, value) => sum + (value ?? 0), 0);

/** A rate of requests with two digits: `12/s`, `1.4/s`, `3/min`. */
function rateText(perSecond: number): string {
  if (perSecond === 0) return '0';
  if (perSecond < 1) return trafficText.perMinute(Math.max(1, Math.round(perSecond * 60)));
  return trafficText.perSecond(perSecond < 10 ? perSecond.toFixed(1) : String(Math.round(perSecond)));
}

/** @returns the part of requests that failed, in %, with one digit; undefined without failures */
function errorShare({ requests, errors }: Traffic): string | undefined {
  const [all, failed] = [sumOf(requests), sumOf(errors)];
  if (failed === 0 || all === 0) return undefined;
  const percent = Math.min(100, (failed / all) * 100);
  return percent < 0.1 ? '<0.1 %' : `${percent.toFixed(1)} %`;
}

export function Sparkline(props: { traffic: Traffic }) {
  const highest = () => Math.max(...props.traffic.requests.map((value) => value ?? 0), 0.001);
  const at = (index: number) => ((index + 0.5) / props.traffic.requests.length) * size.width;
  const heightOf = (value: number | null) => ((value ?? 0) / highest()) * (size.height - 2);
  const area = () => {
    const points = props.traffic.requests.map(
      (value, index) => `L${at(index).toFixed(1)} ${(size.height - heightOf(value)).toFixed(1)}`,
    );
    return `M0 ${size.height}${points.join('')}L${size.width} ${size.height}Z`;
  };
  const bars = () =>
    props.traffic.errors
      .map((value, index) =>
        value ? `M${at(index).toFixed(1)} ${size.height}v-${Math.max(2, heightOf(value)).toFixed(1)}` : '',
      )
      .join('');
  const mean = () => sumOf(props.traffic.requests) / Math.max(1, props.traffic.requests.length);
  return (
    <span class="spark">
      <svg aria-hidden="true" viewBox={`0 0 ${size.width} ${size.height}`} preserveAspectRatio="none">
        <path class="spark-requests" d={area()} />
        <path class="spark-errors" d={bars()} />
      </svg>
      <span>
        <span title={trafficText.lastHour}>{rateText(mean())}</span>
        <Show when={errorShare(props.traffic)}>
          {(share) => <span class="tone-bad"> {trafficText.failed(share())}</span>}
        </Show>
      </span>
    </span>
  );
}
