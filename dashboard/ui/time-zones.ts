/** Names of time zones as they are today: browsers still list some by the names that they had before. */
const renamed: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

/** The name of today of a zone that was named before. */
export const todaysZone = (name: string): string => renamed[name] ?? name;

/** The time zone of this device, in which people think of times. */
export const ownZone = todaysZone(Intl.DateTimeFormat().resolvedOptions().timeZone);

/** @param chosen comes first @returns each zone once */
export const zonesToChoose = (chosen: string): string[] => [
  ...new Set([chosen, 'UTC', ownZone, ...Intl.supportedValuesOf('timeZone').map(todaysZone).sort()]),
];
