/** Prints what a shell needs to complete the commands and options of mimikit with Tab. */
import { command } from "../arguments/command.ts";
import { printJson, printLine } from "../io/print.ts";

/** The parser of the commands knows what can come next; in which form it says so depends on SHELL. */
const SCRIPTS = {
  bash: `# mimikit, for bash. To have it in every shell:  mimikit completion bash >> ~/.bashrc
_mimikit() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(SHELL=/bin/bash mimikit --get-yargs-completions "\${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _mimikit mimikit`,
  zsh: `#compdef mimikit
# mimikit, for zsh. To have it in every shell:  mimikit completion zsh > ~/.zfunc/_mimikit  (with ~/.zfunc in fpath)
_mimikit() {
  local -a candidates
  candidates=("\${(@f)$(SHELL=/bin/zsh mimikit --get-yargs-completions "\${(@)words[1,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${candidates[1]}" ]]; then _describe 'mimikit' candidates; else _default; fi
}
if [[ "\${funcstack[1]}" = _mimikit ]]; then _mimikit "$@"; else compdef _mimikit mimikit; fi`,
  fish: `# mimikit, for fish. To have it in every shell:  mimikit completion fish > ~/.config/fish/completions/mimikit.fish
function __mimikit_candidates
    SHELL=/bin/bash mimikit --get-yargs-completions (commandline -opc) (commandline -ct) 2>/dev/null
end
complete -c mimikit -f -a '(__mimikit_candidates)'`,
} as const;

type Shell = keyof typeof SCRIPTS;

export const completion = command({
  usage: "completion <shell>",
  summary: "complete commands and options with Tab",
  examples: [
    ["mimikit completion bash >> ~/.bashrc", "from the next shell on, Tab completes what follows mimikit"],
    ["mimikit completion fish > ~/.config/fish/completions/mimikit.fish", "the same in fish; zsh works alike"],
  ],
  options: (yargs) =>
    yargs.positional("shell", {
      choices: Object.keys(SCRIPTS) as Shell[],
      demandOption: true,
      describe: "the shell that you use",
    }),
  async run({ json, shell }) {
    if (json) printJson({ shell, script: SCRIPTS[shell] });
    else printLine(SCRIPTS[shell]);
  },
});
