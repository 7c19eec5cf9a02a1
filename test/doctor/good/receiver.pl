# Perl with what comes with it: a socket, one connection after the other.
use strict; use warnings;
use Digest::SHA qw(hmac_sha256); use HTTP::Tiny; use IO::Socket::INET; use JSON::PP; use MIME::Base64;

my $key = decode_base64($ENV{PAYMENTS_WEBHOOK_SECRET} =~ s/^whsec_//r);
my (%handled, %orders);

sub is_genuine {
    my ($headers, $body) = @_;
    my $at = $headers->{'webhook-timestamp'} // '';
    return 0 unless $at =~ /^\d+$/ && abs(time - $at) <= 300;
    my $expected = 'v1,' . encode_base64(hmac_sha256("$headers->{'webhook-id'}.$at.$body", $key), '');
    return scalar grep { $_ eq $expected } split / /, $headers->{'webhook-signature'} // '';
}

sub handle {
    my ($event) = @_;
    my $id = $event->{data}{charge_id} or return 1;
    my $answer = HTTP::Tiny->new->get("$ENV{PAYMENTS_SANDBOX_URL}/api/v1/payments/charges/$id",
        { headers => { authorization => "Bearer $ENV{PAYMENTS_API_KEY}" } });
    return 1 if $answer->{status} == 404;
    return 0 unless $answer->{success};
    my $charge = decode_json($answer->{content});
    $orders{$id} = { status => $charge->{status}, amount => $charge->{amount} };
    return 1;
}

sub answer_to {
    my ($headers, $body) = @_;
    return (401, 'who are you?') unless is_genuine($headers, $body);
    my $event = decode_json($body);
    return (200, 'already') if $handled{ $event->{id} };
    return (500, 'try again') unless handle($event);
    $handled{ $event->{id} } = 1;
    return (200, 'ok');
}

my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 64, ReuseAddr => 1) or die $!;
$| = 1;
print $server->sockport, "\n";
while (my $client = $server->accept) {
    <$client>; # the request line
    my %headers;
    while (defined(my $line = <$client>)) {
        last unless $line =~ /^([^:]+):\s*(.*?)\r?\n/;
        $headers{ lc $1 } = $2;
    }
    read $client, my $body, $headers{'content-length'} // 0;
    my ($status, $text) = answer_to(\%headers, $body // '');
    print $client "HTTP/1.1 $status X\r\nConnection: close\r\nContent-Length: ", length $text, "\r\n\r\n$text";
    close $client;
}
