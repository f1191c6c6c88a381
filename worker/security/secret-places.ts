/** Where each kind of secret lives: one function a sealed column, so that sealing and opening agree. */
import type { SecretPlace } from './secret-envelope.ts';

export const variablePlace = (variableId: string): SecretPlace => ({
  table: 'variables',
  column: 'sealed_value',
  rowId: variableId,
});

export const gitTokenPlace = (serviceId: string): SecretPlace => ({
  table: 'services',
  column: 'sealed_git_token',
  rowId: serviceId,
});
