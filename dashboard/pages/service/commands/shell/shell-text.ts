/** Texts of the shell in the browser. */

export const shellText = {
  title: 'Shell',
  open: 'Open a shell',
  help: 'It runs in the live container, with its variables, as the user of the image. Its opening is in the audit log; what you type is not.',
  keys: 'Ctrl+Shift+C copies, Ctrl+Shift+V pastes, Ctrl+Shift+Space leaves the terminal.',
  states: { opening: 'Opening…', open: 'Open', ended: 'Ended' },
  terminal: (service: string) => `Terminal in ${service}`,
  exited: (code: number) => `The shell ended with exit code ${code}.`,
  lost: 'The connection was lost. The commands that ran in the shell were ended.',
  again: 'Open another shell',
  end: 'End the shell',
  back: 'Commands',
  mayNot: 'Your role in this project may not open shells: that takes the level write.',
} as const;
