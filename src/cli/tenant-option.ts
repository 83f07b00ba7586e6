// `--tenant`, the same for every command that takes it.
import { Option } from 'commander';

export const tenantOption = () => new Option('--tenant <tenant>', 'name or id; not needed when there is only one');
