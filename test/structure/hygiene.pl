#!/usr/bin/env perl
# hygiene.pl LIST: every symbol that a per-ISA object defines for others carries the object's tag in its name, so that
# the linker can never take code built for one instruction set as the body of a function another one calls.
# LIST holds lines "tag object".
use strict;
use warnings;
BEGIN { (my $here = $0) =~ s{[^/]*$}{}; unshift @INC, $here || '.'; }
use Tree;

# As `isa::avx2` in template arguments or at the end of a function's name, as in mapTable_avx2. Names too long for the
# demangler stay as they are.
sub carries {
  my ($symbol, $tag) = @_;
  return $symbol =~ /3isa\d+\Q$tag\EE/ if $symbol =~ /^_Z/;
  return $symbol =~ /\bisa::\Q$tag\E\b/ || $symbol =~ /_\Q$tag\E\b/;
}

my ($objects, $symbols) = (0, 0);
for (split /\n/, slurp($ARGV[0])) {
  my ($tag, $object) = /^(\S+)\s+(\S.*)$/ or next;
  $objects++;
  open(my $nm, '-|', 'nm', '--defined-only', '--extern-only', '--demangle', $object) or die "nm: $!\n";
  while (<$nm>) {
    chomp;
    my ($kind, $symbol) = /^[0-9a-f]* (\S) (.*)$/ or next;
    next if $symbol =~ /^DW\.ref\./; # a pointer to the exception personality: data, the same in all
    $symbols++;
    complain("$object: '$symbol' ($kind) does not carry the tag $tag") unless carries($symbol, $tag);
  }
  close $nm or complain("$object: nm failed");
}
complain('no per-ISA objects listed') unless $objects;
finish("$symbols symbols of $objects objects");
