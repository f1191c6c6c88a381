/** The loader of volumes. */
import { selectScopedVolume, type VolumeRow } from '../store/services/volume-store.ts';
import { type LoadedService, parameter, type ResourceLoader } from './resources.ts';

export interface LoadedVolume extends LoadedService {
  volume: VolumeRow;
}

/** `:serviceId` and `:volumeId` */
export const volumeResource: ResourceLoader<LoadedVolume> = {
  name: 'volume',
  scope: 'key',
  select: (db, tokenId, params) =>
    selectScopedVolume(db, tokenId, parameter(params, 'serviceId'), parameter(params, 'volumeId')),
};
