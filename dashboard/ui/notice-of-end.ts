/** A notification of the browser when a deployment of this tab has ended, if it is wanted. The choice is kept in this browser. */
import { createSignal } from 'solid-js';
import { isWell, onEnded } from '../api/started.ts';
import { trayText } from './tray-text.ts';

const place = 'longshore-notify-ends';

const isAllowed = () => 'Notification' in window && Notification.permission === 'granted';
const [isWanted, setIsWanted] = createSignal(localStorage.getItem(place) === 'yes' && isAllowed());

export { isWanted };

/** Whether the browser can ask. A refusal can only be taken back in the browser's own settings. */
export const canNotify = (): boolean => 'Notification' in window && Notification.permission !== 'denied';

/** Call it in a handler of a click: browsers ask for the permission only then. */
export async function want(isOn: boolean): Promise<void> {
  const isGranted = isOn && (isAllowed() || (await Notification.requestPermission()) === 'granted');
  localStorage.setItem(place, isGranted ? 'yes' : 'no');
  setIsWanted(isGranted);
}

onEnded(({ deployment, serviceName }) => {
  if (!isWanted() || !isAllowed() || document.visibilityState === 'visible') return;
  const what = trayText.doing(deployment, serviceName);
  const text = isWell(deployment) ? trayText.live(serviceName) : trayText.failed(what);
  new Notification(text, { tag: deployment.id });
});
