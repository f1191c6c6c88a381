/** `completion`: scripts for shells. They ask this program for proposals. */
import { buildCommand } from '../base/command.ts';
import { about, type CommandLine } from '../session.ts';

/** The hidden first argument with which the scripts call this program. */
export const proposeArgument = '__complete';

const scripts = {
  bash: `_longshore() {
  local IFS=$'\\n'
  COMPREPLY=($(longshore ${proposeArgument} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  [[ \${COMPREPLY[*]} == *= ]] && compopt -o nospace
}
complete -o default -F _longshore longshore
`,
  zsh: `#compdef longshore
_longshore() {
  local -a proposals
  proposals=("\${(@f)$(longshore ${proposeArgument} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -z $proposals ]] && { _files; return; }
  compadd -S '' -- \${(M)proposals:#*=}
  compadd -- \${proposals:#*=}
}
compdef _longshore longshore
`,
  fish: `complete -c longshore -f -a '(longshore ${proposeArgument} (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
} as const;

type Shell = keyof typeof scripts;

const shellOf = (text: string): Shell => {
  if (text in scripts) return text as Shell;
  throw new Error(`"${text}" is none of ${Object.keys(scripts).join(', ')}`);
};

export const completion = buildCommand({
  docs: about(
    'Print the completion script for a shell',
    'bash: eval "$(longshore completion bash)" in ~/.bashrc. zsh: eval "$(longshore completion zsh)" in ~/.zshrc after compinit. fish: longshore completion fish > ~/.config/fish/completions/longshore.fish',
  ),
  parameters: {
    flags: {},
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'bash, zsh or fish', parse: shellOf, placeholder: 'shell' }],
    },
  },
  func(this: CommandLine, _: object, shell: Shell) {
    this.process.stdout.write(scripts[shell]);
  },
});
