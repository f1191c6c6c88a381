import { type AlertRow, selectAlert, selectScopedAlert } from '../store/alert-store.ts';
import { parameter, type ResourceLoader } from './resources.ts';

/** `:alertId` about a service that the key sees. */
export const alertResource: ResourceLoader<{ alert: AlertRow }> = {
  name: 'alert',
  scope: 'key',
  select: (db, tokenId, params) => selectScopedAlert(db, tokenId, parameter(params, 'alertId')),
};

/** `:alertId`, for the operator. */
export const anyAlertResource: ResourceLoader<{ alert: AlertRow }> = {
  name: 'alert',
  scope: 'operator',
  select: (db, _tokenId, params) => selectAlert(db, parameter(params, 'alertId')),
};
