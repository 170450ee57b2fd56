# What published headers declare, found by reading preprocessed C++: types, enumerators, functions with their parameter
# types, variables and macros. Good for the headers of this project, which say what they mean; no compiler front end.
package Declarations;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT = qw(declarationsOf parametersOf splitSignature);

my %SAME = (uint8_t => 'unsigned char', uint16_t => 'unsigned short', uint32_t => 'unsigned', uint64_t => 'unsigned long',
  int8_t => 'signed char', int16_t => 'short', int32_t => 'int', int64_t => 'long', size_t => 'unsigned long',
  DebugId => 'unsigned long', vertex_id => 'unsigned');
my %BUILTIN = map { $_ => 1 } qw(unsigned signed long short int char);
my %WORD = (%BUILTIN, map { $_ => 1 } qw(float double bool void const volatile auto));

sub tokensOf {
  my ($text) = @_;
  return $text =~ /(R"\((?:.*?)\)"|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])+'|[A-Za-z_]\w*|\d[\w.']*|::|->|\.\.\.|\S)/gs;
}

# ---- types ---------------------------------------------------------------------------------------------------------
# "const std::vector<unsigned int> &x = {}" and "vector<unsigned> const&" have one canonical form.
sub canonical {
  my @in = @_;
  my ($depth, @kept) = (0);
  for (@in) { # without the default argument
    $depth++ if /^[<({[]$/;
    $depth-- if /^[>)}\]]$/;
    last if $_ eq '=' && $depth == 0;
    push @kept, $_;
  }
  my $joined = join ' ', @kept;
  return 'enable_if' if $joined =~ /\benable_if(_t)?\b/;
  @kept = grep { !/^(typename|class|struct|enum|__restrict|__restrict__)$/ } @kept;
  my @short; # without qualifiers
  for my $i (0 .. $#kept) {
    next if $kept[$i] eq '::' || ($i < $#kept && $kept[$i + 1] eq '::' && $kept[$i] =~ /^\w+$/);
    push @short, $kept[$i];
  }
  my @words; # several words of one builtin type become one
  for (my $i = 0; $i < @short;) {
    my @run;
    push @run, $short[$i++] while $i < @short && $BUILTIN{$short[$i]};
    if (@run) {
      my %has = map { $_ => 1 } @run;
      my $longs = grep { $_ eq 'long' } @run;
      my @name = (($has{unsigned} ? 'unsigned' : $has{signed} && $has{char} ? 'signed' : ()), ('long') x $longs,
        ($has{short} ? 'short' : ()), ($has{char} ? 'char' : ()));
      push @words, @name ? "@name" : 'int';
    } else {
      push @words, exists $SAME{$short[$i]} ? $SAME{$short[$i]} : $short[$i];
      $i++;
    }
  }
  # The parameter's name: a last word that follows another one.
  if (@words > 1 && $words[-1] =~ /^[A-Za-z_]\w*$/ && !$WORD{$words[-1]}
    && (grep { $_ ne 'const' && $_ ne 'volatile' } @words[0 .. $#words - 1])) {
    pop @words;
  }
  my $text = join ' ', @words;
  $text =~ s/\(\s*([&*]+)\s*\w*\s*\)/($1)/;
  # const goes behind what it is about.
  my $type = qr/(?:(?:unsigned|signed)\s+)?(?:long\s+)*[A-Za-z_]\w*(?:\s*(?<args><(?:[^<>]|(?&args))*>))?/;
  1 while $text =~ s/(^|[<,(]\s*)const\s+($type)(?!\w)/$1$2 const/;
  $text =~ s/\s+//g if $text !~ /\w\s+\w/;
  $text =~ s/\s*([<>,&*()\[\]])\s*/$1/g;
  $text =~ s/([\w>])\s*const\b/$1 const/g;
  $text =~ s/const([&*])/const $1/g;
  $text =~ s/(\w|>)([&*])/$1 $2/g;
  $text =~ s/,/, /g;
  $text =~ s/ const$// unless $text =~ /[&*] ?\S+ const$/;
  $text =~ s/\*const$/*/;
  return $text;
}

# The canonical types of a parameter list, given its tokens.
sub typesOf {
  my ($depth, @types, @one) = (0);
  for (@_, ',') {
    $depth++ if /^[<({[]$/;
    $depth-- if /^[>)}\]]$/;
    if ($_ eq ',' && $depth == 0) {
      push @types, canonical(@one) if @one;
      @one = ();
    } else {
      push @one, $_;
    }
  }
  return @types == 1 && $types[0] eq 'void' ? () : @types;
}
sub parametersOf { return join ', ', typesOf(tokensOf($_[0])); }

# "a::b(int, T)" -> ("a::b", "int, T"); without parameters the second is undefined.
sub splitSignature {
  my ($signature) = @_;
  return ($1, $2) if $signature =~ /^(.*?operator\s*\(\s*\))\s*\((.*)\)$/ || $signature =~ /^([^(]*?)\s*\((.*)\)$/;
  return ($signature, undef);
}

# ---- reading -------------------------------------------------------------------------------------------------------
# A reader has tokens, a position, and what it found: {name}{parameters} = header, with parameters '' for all
# but functions, else in parentheses.
sub skipBalanced { # from an opening token to behind its closing one; returns the tokens between
  my ($r) = @_;
  my %close = ('(' => ')', '{' => '}', '[' => ']', '<' => '>');
  my $open = $r->{t}[$r->{i}];
  my ($begin, $depth) = ($r->{i} + 1, 0);
  for (; $r->{i} < @{$r->{t}}; $r->{i}++) {
    my $t = $r->{t}[$r->{i}];
    if ($open eq '<' && $t =~ /^[({]$/) {
      skipBalanced($r);
      $r->{i}--;
      next;
    }
    $depth++ if $t eq $open;
    last if $t eq $close{$open} && --$depth == 0;
  }
  my $end = $r->{i}++;
  return @{$r->{t}}[$begin .. $end - 1];
}

sub peek { return $_[0]{t}[$_[0]{i} + ($_[1] || 0)] // ''; }
sub skipTo {
  my ($r, $stop) = @_;
  while ($r->{i} < @{$r->{t}} && peek($r) ne $stop) {
    if (peek($r) =~ /^[({]$/) { skipBalanced($r) } else { $r->{i}++ }
  }
  $r->{i}++;
}

sub record {
  my ($r, $scope, $name, $parameters) = @_;
  $r->{found}{join '::', grep { length } $scope, $name}{$parameters // ''} = $r->{file};
}

sub readEnum {
  my ($r, $scope, $visible) = @_;
  $r->{i}++;
  my $scoped = peek($r) =~ /^(class|struct)$/ ? $r->{i}++ : 0;
  my $name = peek($r) =~ /^\w+$/ ? $r->{t}[$r->{i}++] : '';
  $r->{i}++ while peek($r) !~ /^[{;]$/;
  return if peek($r) eq ';';
  my $inner = join '::', grep { length } $scope, $name;
  my @body = skipBalanced($r);
  return unless $visible;
  record($r, $scope, $name) if $name;
  my $depth = 0;
  my $first = 1;
  for (@body) {
    $depth++ if /^[({]$/;
    $depth-- if /^[)}]$/;
    if ($first && /^\w+$/) {
      record($r, $inner, $_);
      record($r, $scope, $_) unless $scoped;
      $first = 0;
    }
    $first = 1 if $_ eq ',' && $depth == 0;
  }
}

sub readClass {
  my ($r, $scope, $visible) = @_;
  my $public = $r->{t}[$r->{i}++] ne 'class';
  my @head;
  while (peek($r) !~ /^[{;:]$/) {
    if (peek($r) eq '<') { push @head, '<' . join(' ', skipBalanced($r)) . '>' } else { push @head, $r->{t}[$r->{i}++] }
  }
  my @words = grep { $_ ne 'final' } @head;
  my $name = join '', @words;
  $name =~ s/<(.*)>/'<' . canonical(tokensOf($1)) . '>'/e;
  my @bases;
  if (peek($r) eq ':') {
    my @list;
    push @list, $r->{t}[$r->{i}++] while peek($r) ne '{';
    my $text = join ' ', @list[1 .. $#list];
    1 while $text =~ s/<[^<>]*>//;
    @bases = map { s/\b(public|private|protected|virtual)\b//gr =~ s/\s+//gr } split /,/, $text;
  }
  my $full = join '::', grep { length } $scope, $name;
  my $isDeclaration = peek($r) eq ';'; # of a class defined elsewhere, or of a template with instances only
  my $isMember = $scope ne ($r->{namespace} // ''); # of a class: there is no other declaration of it
  record($r, $scope, $name) if $visible && (!$isDeclaration || $r->{template} || $isMember);
  return $r->{i}++ if $isDeclaration;
  $r->{template} = 0;
  push @{$r->{bases}{$full}}, @bases;
  $r->{i}++;
  readScope($r, $full, $visible && $public, $name);
  $r->{i}++;
  skipTo($r, ';');
}

# A function or variables, up to and with ';' or the body.
sub readDeclaration {
  my ($r, $scope, $visible, $class, $friend) = @_;
  my ($name, @before) = ('');
  while ($r->{i} < @{$r->{t}}) {
    my $t = peek($r);
    if ($t eq 'operator') {
      $r->{i}++;
      my @op;
      push @op, $r->{t}[$r->{i}++] while peek($r) ne '(' || (!@op && peek($r, 1) eq ')' && peek($r, 2) eq '(');
      push @op, $r->{t}[$r->{i}++] while "@op" eq '(' && peek($r) eq ')';
      $name = $op[0] =~ /^\w/ ? 'operator ' . canonical(@op) : 'operator' . join '', @op;
      $name =~ s/^operator(""|"")\s*_?/operator""_/ if $op[0] =~ /^"/;
      last;
    }
    if ($t eq '<' && @before && $before[-1] =~ /^\w+$/) {
      skipBalanced($r);
      push @before, '<>';
    } elsif ($t =~ /^[(;={,[]$/) {
      last;
    } else {
      push @before, $t;
      $r->{i}++;
    }
  }
  if (peek($r) ne '(' || !($name || (@before && $before[-1] =~ /^\w+$|^<>$/))) {
    my ($last) = grep { /^\w+$/ } reverse @before;
    record($r, $scope, $last) if $visible && defined $last && @before > 1;
    while (peek($r) !~ /^;?$/) {
      if (peek($r) =~ /^[({]$/) { skipBalanced($r); next }
      if (peek($r) eq ',' && peek($r, 1) =~ /^\w+$/ && peek($r, 2) =~ /^[,;=]$/) {
        record($r, $scope, peek($r, 1)) if $visible;
      }
      $r->{i}++;
    }
    return $r->{i}++;
  }
  pop @before if !$name && $before[-1] eq '<>';
  if (!$name) {
    $name = pop @before;
    $name = '~' . $name if @before && $before[-1] eq '~';
  }
  my $where = $scope;
  $where = $r->{namespace} if $friend;
  my $parameters = join ', ', typesOf(skipBalanced($r));
  my @after;
  while (peek($r) !~ /^[;{:]?$/) {
    if (peek($r) eq '(') { skipBalanced($r) } else { push @after, $r->{t}[$r->{i}++] }
  }
  if (peek($r) eq ':') { # initialisers of members
    do {
      $r->{i}++;
      $r->{i}++ while peek($r) !~ /^[({<]?$/;
      skipBalanced($r) if peek($r) eq '<';
      skipBalanced($r);
      $r->{i}++ if peek($r) eq '...';
    } while peek($r) eq ',';
  }
  if (peek($r) eq '{') { skipBalanced($r) } else { $r->{i}++ }
  my $deleted = "@after" =~ /= delete/;
  $r->{deleted}{"$where\::$name"}{$parameters} = 1 if $deleted;
  record($r, $where, $name, "($parameters)") if ($visible || $friend) && !$deleted;
}

sub readScope {
  my ($r, $scope, $visible, $class) = @_;
  my $friend = 0;
  while ($r->{i} < @{$r->{t}} && peek($r) ne '}') {
    my $t = peek($r);
    if ($t eq ';') { $r->{i}++ }
    elsif ($t eq 'FILE') { $r->{file} = substr peek($r, 1), 1, -1; $r->{i} += 2 }
    elsif ($t =~ /^(public|private|protected)$/ && peek($r, 1) eq ':') { $visible = $t eq 'public'; $r->{i} += 2 }
    elsif ($t eq 'namespace') {
      my @names;
      for ($r->{i}++; peek($r) !~ /^[{=;]$/; $r->{i}++) { push @names, peek($r) if peek($r) =~ /^\w+$/ && peek($r) ne 'inline' }
      if (peek($r) ne '{') { skipTo($r, ';'); next }
      $r->{i}++;
      local $r->{namespace} = join '::', grep { length } $scope, @names;
      readScope($r, $r->{namespace}, 1);
      $r->{i}++;
    }
    elsif ($t eq 'extern' && peek($r, 1) =~ /^"/) { $r->{i} += 2; if (peek($r) eq '{') { $r->{i}++; readScope($r, $scope, 1); $r->{i}++ } }
    elsif ($t eq 'template') {
      $r->{i}++;
      skipBalanced($r) if peek($r) eq '<';
      $r->{template} = 1;
      next;
    }
    elsif ($t eq 'friend') { $friend = 1; $r->{i}++; if (peek($r) =~ /^(class|struct)$/) { skipTo($r, ';'); $friend = 0 } }
    elsif ($t eq 'using' || $t eq 'typedef') {
      my @all;
      push @all, $r->{t}[$r->{i}++] while peek($r) !~ /^;?$/;
      my $text = join ' ', @all;
      my $name = $text =~ /^using (\w+) =/ ? $1 : ($text =~ /(\w+)\s*(?:__attribute__.*)?$/)[0];
      record($r, $scope, $name) if $visible && defined $name;
      $r->{same}{"$scope\::$name"} = $1 =~ s/\s+//gr if $text =~ /^using ((?:\w+ :: )+\w+)$/;
    }
    elsif ($t eq 'static_assert' || $t eq '__asm__' || $t eq 'concept') { skipTo($r, ';') }
    elsif ($t eq 'enum') { readEnum($r, $scope, $visible) }
    elsif ($t =~ /^(class|struct|union)$/) { readClass($r, $scope, $visible) }
    elsif ($t eq 'MACRO') { $r->{found}{peek($r, 1)}{''} = $r->{file}; $r->{i} += 2 }
    else { readDeclaration($r, $scope, $visible, $class, $friend); $friend = 0 }
    $r->{template} = 0;
  }
}

# The declarations in preprocessed text (with macro definitions), of the files whose names match.
sub declarationsOf {
  my ($text, $files) = @_;
  my ($on, $file, @lines) = (0, '');
  for (split /\n/, $text) {
    if (/^#\s*\d+ "(.*?)"/) {
      my $name = $1;
      $on = $name =~ $files;
      push @lines, qq(FILE "$name") if $on && $file ne $name; # includes stand between declarations
      $file = $name if $on;
    }
    elsif ($on && /^\s*#\s*define (\w+)/) { push @lines, "MACRO $1 " unless $1 =~ /^POP_|_HPP$|_H$/ }
    elsif ($on && !/^\s*#/) { push @lines, $_ }
  }
  my $code = join "\n", @lines;
  my $group = qr/(\((?:[^()"]|"(?:\\.|[^"])*"|(?1))*\))/;
  $code =~ s/(?:__attribute__|alignas|__asm__|decltype)\s*$group//g;
  $code =~ s/\[\[[^\]]*\]\]//g;
  $code =~ s/\b(inline|constexpr|static|explicit|virtual|mutable|extern(?!\s*")|noexcept(?!\s*\()|override|constinit)\b//g;
  $code =~ s/\bnoexcept\s*$group//g;
  my $reader = {t => [tokensOf($code)], i => 0, file => '', namespace => '', found => {}, bases => {}, deleted => {}};
  while ($reader->{i} < @{$reader->{t}}) {
    readScope($reader, '', 1);
    $reader->{i}++;
  }
  return $reader;
}

1;
